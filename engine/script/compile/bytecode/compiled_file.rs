//! Parses and writes bytecode files. The parser reads only what our own compiler writes and rejects
//! everything else.

/// A cursor over the bytes of a file.
struct BytecodeReader<'a> {
    bytes: &'a [u8],
    position: usize,
}

/// The supported versions of the format, without the experimental ones.
const BYTECODE_VERSIONS: std::ops::RangeInclusive<u8> = 6..=9;
/// The supported version of the type section.
const TYPE_FORMAT_VERSION: u8 = 3;

/// A compiled file.
pub(super) struct CompiledFile {
    version: u8,
    /// The text table.
    pub(super) strings: Vec<Vec<u8>>,
    /// The bytes between the texts and the functions, copied unchanged.
    type_section: Vec<u8>,
    pub(super) functions: Vec<CompiledFunction>,
    /// The index of the function that is the file itself.
    pub(super) main_function: usize,
}

pub(super) struct CompiledFunction {
    pub(super) stack_size: u8,
    parameter_count: u8,
    upvalue_count: u8,
    is_variadic: u8,
    flags: u8,
    type_info: Vec<u8>,
    pub(super) code: Vec<u32>,
    /// The encoded constants.
    pub(super) constants: Vec<Vec<u8>>,
    /// The indices of the functions that this function creates.
    pub(super) inner_functions: Vec<usize>,
    line_defined: u64,
    name_index: u64,
    /// The line of each code word, with the interval shift (log2) of the encoding.
    pub(super) line_table: Option<(u8, Vec<i32>)>,
}

/// Type tags of constants.
const NUMBER_CONSTANT_TYPE: u8 = 2;
pub(super) const TEXT_CONSTANT_TYPE: u8 = 3;
const TABLE_CONSTANT_TYPE: u8 = 5;
const TABLE_WITH_VALUES_CONSTANT_TYPE: u8 = 8;

impl<'a> BytecodeReader<'a> {
    fn take_bytes(&mut self, count: usize) -> Option<&'a [u8]> {
        let taken = self.bytes.get(self.position..self.position.checked_add(count)?)?;
        self.position += count;
        Some(taken)
    }

    fn read_byte(&mut self) -> Option<u8> {
        self.take_bytes(1).map(|bytes| bytes[0])
    }

    fn read_word(&mut self) -> Option<u32> {
        self.take_bytes(4).and_then(|bytes| bytes.try_into().ok()).map(u32::from_le_bytes)
    }

    fn read_varint(&mut self) -> Option<u64> {
        let (mut number, mut shift) = (0_u64, 0);
        loop {
            let byte = self.read_byte()?;
            number |= u64::from(byte & 0x7f).checked_shl(shift)?;
            shift += 7;
            if byte & 0x80 == 0 {
                return Some(number);
            }
        }
    }

    fn read_count(&mut self) -> Option<usize> {
        let count = usize::try_from(self.read_varint()?).ok()?;
        (count <= self.bytes.len()).then_some(count)
    }

    /// Reads an encoded constant without decoding it.
    fn read_constant(&mut self) -> Option<Vec<u8>> {
        let from = self.position;
        match self.read_byte()? {
            0 => {}
            1 => drop(self.read_byte()?),
            NUMBER_CONSTANT_TYPE => drop(self.take_bytes(8)?),
            4 => drop(self.take_bytes(4)?),
            7 => drop(self.take_bytes(16)?),
            TEXT_CONSTANT_TYPE | 6 => drop(self.read_varint()?),
            TABLE_CONSTANT_TYPE => {
                for _ in 0..self.read_count()? {
                    self.read_varint()?;
                }
            }
            TABLE_WITH_VALUES_CONSTANT_TYPE => {
                for _ in 0..self.read_count()? {
                    self.read_varint()?;
                    self.read_word()?;
                }
            }
            9 => drop((self.read_byte()?, self.read_varint()?)),
            _ => return None,
        }
        Some(self.bytes[from..self.position].to_vec())
    }

    fn read_function(&mut self) -> Option<CompiledFunction> {
        let [stack, parameters, upvalues, variadic, flags] = self.take_bytes(5)?.try_into().ok()?;
        let types = self.read_count()?;
        let types = self.take_bytes(types)?.to_vec();
        let code = (0..self.read_count()?).map(|_| self.read_word()).collect::<Option<Vec<_>>>()?;
        let constants =
            (0..self.read_count()?).map(|_| self.read_constant()).collect::<Option<_>>()?;
        let inner = (0..self.read_count()?).map(|_| self.read_count()).collect::<Option<_>>()?;
        let (line, name) = (self.read_varint()?, self.read_varint()?);
        let lines = match self.read_byte()? {
            0 => None,
            _ => Some(self.read_line_table(code.len())?),
        };
        // Debug information for locals is not supported.
        (self.read_byte()? == 0).then_some(())?;
        Some(CompiledFunction {
            stack_size: stack,
            parameter_count: parameters,
            upvalue_count: upvalues,
            is_variadic: variadic,
            flags,
            type_info: types,
            code,
            constants,
            inner_functions: inner,
            line_defined: line,
            name_index: name,
            line_table: lines,
        })
    }

    fn read_line_table(&mut self, words: usize) -> Option<(u8, Vec<i32>)> {
        let gap = self.read_byte()?;
        let mut last = 0_u8;
        let mut offsets = Vec::with_capacity(words);
        for _ in 0..words {
            last = last.wrapping_add(self.read_byte()?);
            offsets.push(i32::from(last));
        }
        let intervals = (words.checked_sub(1)? >> u32::from(gap).min(31)) + 1;
        let mut line = 0_i32;
        let mut bases = Vec::with_capacity(intervals);
        for _ in 0..intervals {
            line = line.wrapping_add(self.read_word()? as i32);
            bases.push(line);
        }
        let lines = offsets.iter().enumerate().map(|(at, offset)| bases[at >> gap] + offset);
        Some((gap, lines.collect()))
    }
}

impl CompiledFile {
    /// Parses a file; `None` if our compiler does not write such a file.
    pub(super) fn parse_bytecode(bytes: &[u8]) -> Option<Self> {
        let mut reader = BytecodeReader { bytes, position: 0 };
        let (version, types) = (reader.read_byte()?, reader.read_byte()?);
        (BYTECODE_VERSIONS.contains(&version) && types == TYPE_FORMAT_VERSION).then_some(())?;
        let mut strings = Vec::new();
        for _ in 0..reader.read_count()? {
            let length = reader.read_count()?;
            strings.push(reader.take_bytes(length)?.to_vec());
        }
        let from = reader.position;
        while reader.read_byte()? != 0 {
            reader.read_varint()?;
        }
        let types = bytes[from..reader.position].to_vec();
        let functions = (0..reader.read_count()?)
            .map(|_| reader.read_function())
            .collect::<Option<Vec<_>>>()?;
        let main = reader.read_count()?;
        let whole = reader.position == bytes.len() && main < functions.len();
        let inside =
            functions.iter().flat_map(|f| &f.inner_functions).all(|inner| *inner < functions.len());
        (whole && inside).then_some(Self {
            version,
            strings,
            type_section: types,
            functions,
            main_function: main,
        })
    }

    /// Writes the file.
    pub(super) fn to_bytecode(&self) -> Vec<u8> {
        let mut out = vec![self.version, TYPE_FORMAT_VERSION];
        write_varint_usize(&mut out, self.strings.len());
        for text in &self.strings {
            write_varint_usize(&mut out, text.len());
            out.extend_from_slice(text);
        }
        out.extend_from_slice(&self.type_section);
        write_varint_usize(&mut out, self.functions.len());
        for function in &self.functions {
            function.write_function(&mut out);
        }
        write_varint_usize(&mut out, self.main_function);
        out
    }

    /// The number of a text in the text table, from 1. A missing text is added.
    pub(super) fn intern_text(&mut self, text: &str) -> usize {
        let found = self.strings.iter().position(|other| other == text.as_bytes());
        1 + found.unwrap_or_else(|| {
            self.strings.push(text.as_bytes().to_vec());
            self.strings.len() - 1
        })
    }
}

impl CompiledFunction {
    /// The index of a text constant. A missing constant is added.
    pub(super) fn intern_text_constant(&mut self, text: usize) -> u32 {
        let mut constant = vec![TEXT_CONSTANT_TYPE];
        write_varint_usize(&mut constant, text);
        let found = self.constants.iter().position(|other| *other == constant);
        let at = found.unwrap_or_else(|| {
            self.constants.push(constant);
            self.constants.len() - 1
        });
        u32::try_from(at).unwrap_or(u32::MAX)
    }

    fn write_function(&self, out: &mut Vec<u8>) {
        out.extend([
            self.stack_size,
            self.parameter_count,
            self.upvalue_count,
            self.is_variadic,
            self.flags,
        ]);
        write_varint_usize(out, self.type_info.len());
        out.extend_from_slice(&self.type_info);
        write_varint_usize(out, self.code.len());
        out.extend(self.code.iter().flat_map(|word| word.to_le_bytes()));
        write_varint_usize(out, self.constants.len());
        out.extend(self.constants.iter().flatten());
        write_varint_usize(out, self.inner_functions.len());
        self.inner_functions.iter().for_each(|inner| write_varint_usize(out, *inner));
        write_varint(out, self.line_defined);
        write_varint(out, self.name_index);
        match &self.line_table {
            None => out.push(0),
            Some((gap, lines)) => write_line_table(out, *gap, lines),
        }
        out.push(0);
    }
}

/// Writes the line table: a base line for each interval, and the offset of each word from its base.
/// The intervals are short enough that each offset fits in a byte.
fn write_line_table(out: &mut Vec<u8>, gap: u8, lines: &[i32]) {
    let bases =
        |gap: u8| lines.chunks(1 << gap).map(|part| part.iter().min().copied().unwrap_or(0));
    let fits = |gap: u8| {
        lines.chunks(1 << gap).zip(bases(gap)).all(|(part, base)| {
            part.iter().all(|line| u8::try_from(line.wrapping_sub(base)).is_ok())
        })
    };
    let gap = (0..=gap.min(24)).rev().find(|gap| fits(*gap)).unwrap_or(0);
    out.extend([1, gap]);
    let mut last = 0_u8;
    for (part, base) in lines.chunks(1 << gap).zip(bases(gap)) {
        for line in part {
            let offset = line.wrapping_sub(base) as u8;
            out.push(offset.wrapping_sub(last));
            last = offset;
        }
    }
    let mut before = 0_i32;
    for base in bases(gap) {
        out.extend(base.wrapping_sub(before).to_le_bytes());
        before = base;
    }
}

fn write_varint_usize(out: &mut Vec<u8>, number: usize) {
    write_varint(out, number as u64);
}

fn write_varint(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push((number as u8 & 0x7f) | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}
