//! Whatever can be written down (prompts, views, events, plain data) as values of Lua, in the shape
//! that its JSON has.

use std::fmt::{self, Display};

use serde::ser::{self, Serialize, Serializer};

use super::data::Maker;

/// Why something cannot be made: what scripts are shown never does this.
#[derive(Debug)]
pub(crate) struct NotMade(String);

impl Display for NotMade {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "this cannot be shown to a script: {}", self.0)
    }
}

impl std::error::Error for NotMade {}

impl ser::Error for NotMade {
    fn custom<T: Display>(why: T) -> Self {
        Self(why.to_string())
    }
}

/// A table that is being filled.
pub(crate) struct Filling<'m> {
    maker: &'m mut Maker,
    /// How many entries of a list there are so far.
    length: usize,
    /// Whether this table lies in another one, under the name of a variant.
    inner: bool,
}

impl Filling<'_> {
    fn item(&mut self, value: &(impl Serialize + ?Sized)) -> Result<(), NotMade> {
        value.serialize(&mut *self.maker)?;
        self.length += 1;
        self.maker.put_at(self.length);
        Ok(())
    }

    fn field(&mut self, name: &str, value: &(impl Serialize + ?Sized)) -> Result<(), NotMade> {
        self.maker.text(name);
        value.serialize(&mut *self.maker)?;
        self.maker.put();
        Ok(())
    }

    fn close(self) -> Result<(), NotMade> {
        self.maker.close();
        if self.inner {
            self.maker.put();
            self.maker.close();
        }
        Ok(())
    }
}

impl Maker {
    fn fill(&mut self, list: usize, map: usize) -> Filling<'_> {
        self.open(list, map);
        Filling { maker: self, length: 0, inner: false }
    }

    /// A table with one entry, the name of a variant, and in it the table to fill.
    fn fill_variant(&mut self, variant: &str, list: usize, map: usize) -> Filling<'_> {
        self.open(0, 1);
        self.text(variant);
        Filling { inner: true, ..self.fill(list, map) }
    }
}

macro_rules! numbers {
    ($($name:ident: $kind:ty),*) => {
        $(fn $name(self, number: $kind) -> Result<(), NotMade> {
            self.number(number as f64);
            Ok(())
        })*
    };
}

impl<'m> Serializer for &'m mut Maker {
    type Ok = ();
    type Error = NotMade;
    type SerializeSeq = Filling<'m>;
    type SerializeTuple = Filling<'m>;
    type SerializeTupleStruct = Filling<'m>;
    type SerializeTupleVariant = Filling<'m>;
    type SerializeMap = Filling<'m>;
    type SerializeStruct = Filling<'m>;
    type SerializeStructVariant = Filling<'m>;

    numbers! {
        serialize_i8: i8, serialize_i16: i16, serialize_i32: i32, serialize_i64: i64,
        serialize_u8: u8, serialize_u16: u16, serialize_u32: u32, serialize_u64: u64,
        serialize_f32: f32, serialize_f64: f64
    }

    fn serialize_bool(self, truth: bool) -> Result<(), NotMade> {
        self.truth(truth);
        Ok(())
    }

    fn serialize_char(self, c: char) -> Result<(), NotMade> {
        self.text(c.encode_utf8(&mut [0; 4]));
        Ok(())
    }

    fn serialize_str(self, text: &str) -> Result<(), NotMade> {
        self.text(text);
        Ok(())
    }

    fn serialize_bytes(self, _: &[u8]) -> Result<(), NotMade> {
        Err(ser::Error::custom("raw bytes"))
    }

    fn serialize_none(self) -> Result<(), NotMade> {
        self.serialize_unit()
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), NotMade> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<(), NotMade> {
        self.nil();
        Ok(())
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<(), NotMade> {
        self.serialize_unit()
    }

    fn serialize_unit_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
    ) -> Result<(), NotMade> {
        self.serialize_str(variant)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        value: &T,
    ) -> Result<(), NotMade> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<(), NotMade> {
        let mut filling = self.fill(0, 1);
        filling.field(variant, value)?;
        filling.close()
    }

    fn serialize_seq(self, length: Option<usize>) -> Result<Filling<'m>, NotMade> {
        Ok(self.fill(length.unwrap_or(0), 0))
    }

    fn serialize_tuple(self, length: usize) -> Result<Filling<'m>, NotMade> {
        Ok(self.fill(length, 0))
    }

    fn serialize_tuple_struct(
        self,
        _: &'static str,
        length: usize,
    ) -> Result<Filling<'m>, NotMade> {
        Ok(self.fill(length, 0))
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        length: usize,
    ) -> Result<Filling<'m>, NotMade> {
        Ok(self.fill_variant(variant, length, 0))
    }

    fn serialize_map(self, length: Option<usize>) -> Result<Filling<'m>, NotMade> {
        Ok(self.fill(0, length.unwrap_or(0)))
    }

    fn serialize_struct(self, _: &'static str, length: usize) -> Result<Filling<'m>, NotMade> {
        Ok(self.fill(0, length))
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        length: usize,
    ) -> Result<Filling<'m>, NotMade> {
        Ok(self.fill_variant(variant, 0, length))
    }
}

macro_rules! lists {
    ($($kind:ident: $put:ident),*) => {
        $(impl ser::$kind for Filling<'_> {
            type Ok = ();
            type Error = NotMade;

            fn $put<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), NotMade> {
                self.item(value)
            }

            fn end(self) -> Result<(), NotMade> {
                self.close()
            }
        })*
    };
}

lists! {
    SerializeSeq: serialize_element, SerializeTuple: serialize_element,
    SerializeTupleStruct: serialize_field, SerializeTupleVariant: serialize_field
}

macro_rules! structs {
    ($($kind:ident),*) => {
        $(impl ser::$kind for Filling<'_> {
            type Ok = ();
            type Error = NotMade;

            fn serialize_field<T: Serialize + ?Sized>(
                &mut self,
                name: &'static str,
                value: &T,
            ) -> Result<(), NotMade> {
                self.field(name, value)
            }

            fn end(self) -> Result<(), NotMade> {
                self.close()
            }
        })*
    };
}

structs! { SerializeStruct, SerializeStructVariant }

impl ser::SerializeMap for Filling<'_> {
    type Ok = ();
    type Error = NotMade;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), NotMade> {
        key.serialize(&mut *self.maker)
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), NotMade> {
        value.serialize(&mut *self.maker)?;
        self.maker.put();
        Ok(())
    }

    fn end(self) -> Result<(), NotMade> {
        self.close()
    }
}
