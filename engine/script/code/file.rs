//! A compiled file taken apart and put together again. Only what our own compiler makes is read; of
//! anything else it is said that it cannot be.

/// Bytes that are read one after another.
struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

/// The versions of the format that are read: those without what is called experimental.
const VERSIONS: std::ops::RangeInclusive<u8> = 6..=9;
/// The version of its types.
const TYPES: u8 = 3;

/// A compiled file.
pub(super) struct File {
    version: u8,
    /// The texts, each as it stands.
    pub(super) strings: Vec<Vec<u8>>,
    /// What stands between the texts and the functions.
    types: Vec<u8>,
    pub(super) functions: Vec<Function>,
    /// Which of them is the file itself.
    pub(super) main: usize,
}

pub(super) struct Function {
    pub(super) stack: u8,
    parameters: u8,
    upvalues: u8,
    variadic: u8,
    flags: u8,
    types: Vec<u8>,
    pub(super) code: Vec<u32>,
    /// The constants, each as it stands.
    pub(super) constants: Vec<Vec<u8>>,
    /// The functions in it.
    pub(super) inner: Vec<usize>,
    line: u64,
    name: u64,
    /// The line of each word of code, if they are known.
    pub(super) lines: Option<(u8, Vec<i32>)>,
}

/// Numbers of the sorts of constants.
const NUMBER: u8 = 2;
pub(super) const TEXT: u8 = 3;
const TABLE: u8 = 5;
const TABLE_WITH: u8 = 8;

impl<'a> Reader<'a> {
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let taken = self.bytes.get(self.at..self.at.checked_add(count)?)?;
        self.at += count;
        Some(taken)
    }

    fn byte(&mut self) -> Option<u8> {
        self.take(1).map(|bytes| bytes[0])
    }

    fn word(&mut self) -> Option<u32> {
        self.take(4).and_then(|bytes| bytes.try_into().ok()).map(u32::from_le_bytes)
    }

    fn number(&mut self) -> Option<u64> {
        let (mut number, mut shift) = (0_u64, 0);
        loop {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f).checked_shl(shift)?;
            shift += 7;
            if byte & 0x80 == 0 {
                return Some(number);
            }
        }
    }

    fn count(&mut self) -> Option<usize> {
        let count = usize::try_from(self.number()?).ok()?;
        (count <= self.bytes.len()).then_some(count)
    }

    /// A constant as it stands.
    fn constant(&mut self) -> Option<Vec<u8>> {
        let from = self.at;
        match self.byte()? {
            0 => {}
            1 => drop(self.byte()?),
            NUMBER => drop(self.take(8)?),
            4 => drop(self.take(4)?),
            7 => drop(self.take(16)?),
            TEXT | 6 => drop(self.number()?),
            TABLE => {
                for _ in 0..self.count()? {
                    self.number()?;
                }
            }
            TABLE_WITH => {
                for _ in 0..self.count()? {
                    self.number()?;
                    self.word()?;
                }
            }
            9 => drop((self.byte()?, self.number()?)),
            _ => return None,
        }
        Some(self.bytes[from..self.at].to_vec())
    }

    fn function(&mut self) -> Option<Function> {
        let [stack, parameters, upvalues, variadic, flags] = self.take(5)?.try_into().ok()?;
        let types = self.count()?;
        let types = self.take(types)?.to_vec();
        let code = (0..self.count()?).map(|_| self.word()).collect::<Option<Vec<_>>>()?;
        let constants = (0..self.count()?).map(|_| self.constant()).collect::<Option<_>>()?;
        let inner = (0..self.count()?).map(|_| self.count()).collect::<Option<_>>()?;
        let (line, name) = (self.number()?, self.number()?);
        let lines = match self.byte()? {
            0 => None,
            _ => Some(self.lines(code.len())?),
        };
        // Names of locals are not compiled in.
        (self.byte()? == 0).then_some(())?;
        Some(Function {
            stack,
            parameters,
            upvalues,
            variadic,
            flags,
            types,
            code,
            constants,
            inner,
            line,
            name,
            lines,
        })
    }

    fn lines(&mut self, words: usize) -> Option<(u8, Vec<i32>)> {
        let gap = self.byte()?;
        let mut last = 0_u8;
        let mut offsets = Vec::with_capacity(words);
        for _ in 0..words {
            last = last.wrapping_add(self.byte()?);
            offsets.push(i32::from(last));
        }
        let intervals = (words.checked_sub(1)? >> u32::from(gap).min(31)) + 1;
        let mut line = 0_i32;
        let mut bases = Vec::with_capacity(intervals);
        for _ in 0..intervals {
            line = line.wrapping_add(self.word()? as i32);
            bases.push(line);
        }
        let lines = offsets.iter().enumerate().map(|(at, offset)| bases[at >> gap] + offset);
        Some((gap, lines.collect()))
    }
}

impl File {
    /// Takes a file apart; `None` if it is none that our compiler makes.
    pub(super) fn read(bytes: &[u8]) -> Option<Self> {
        let mut reader = Reader { bytes, at: 0 };
        let (version, types) = (reader.byte()?, reader.byte()?);
        (VERSIONS.contains(&version) && types == TYPES).then_some(())?;
        let mut strings = Vec::new();
        for _ in 0..reader.count()? {
            let length = reader.count()?;
            strings.push(reader.take(length)?.to_vec());
        }
        let from = reader.at;
        while reader.byte()? != 0 {
            reader.number()?;
        }
        let types = bytes[from..reader.at].to_vec();
        let functions =
            (0..reader.count()?).map(|_| reader.function()).collect::<Option<Vec<_>>>()?;
        let main = reader.count()?;
        let whole = reader.at == bytes.len() && main < functions.len();
        let inside = functions.iter().flat_map(|f| &f.inner).all(|inner| *inner < functions.len());
        (whole && inside).then_some(Self { version, strings, types, functions, main })
    }

    /// Puts it together.
    pub(super) fn write(&self) -> Vec<u8> {
        let mut out = vec![self.version, TYPES];
        number(&mut out, self.strings.len());
        for text in &self.strings {
            number(&mut out, text.len());
            out.extend_from_slice(text);
        }
        out.extend_from_slice(&self.types);
        number(&mut out, self.functions.len());
        for function in &self.functions {
            function.write(&mut out);
        }
        number(&mut out, self.main);
        out
    }

    /// The number of a text among the texts, from 1; it is put there if it is not.
    pub(super) fn text(&mut self, text: &str) -> usize {
        let found = self.strings.iter().position(|other| other == text.as_bytes());
        1 + found.unwrap_or_else(|| {
            self.strings.push(text.as_bytes().to_vec());
            self.strings.len() - 1
        })
    }
}

impl Function {
    /// The number of a constant that is a text; it is put there if it is not.
    pub(super) fn constant(&mut self, text: usize) -> u32 {
        let mut constant = vec![TEXT];
        number(&mut constant, text);
        let found = self.constants.iter().position(|other| *other == constant);
        let at = found.unwrap_or_else(|| {
            self.constants.push(constant);
            self.constants.len() - 1
        });
        u32::try_from(at).unwrap_or(u32::MAX)
    }

    fn write(&self, out: &mut Vec<u8>) {
        out.extend([self.stack, self.parameters, self.upvalues, self.variadic, self.flags]);
        number(out, self.types.len());
        out.extend_from_slice(&self.types);
        number(out, self.code.len());
        out.extend(self.code.iter().flat_map(|word| word.to_le_bytes()));
        number(out, self.constants.len());
        out.extend(self.constants.iter().flatten());
        number(out, self.inner.len());
        self.inner.iter().for_each(|inner| number(out, *inner));
        long(out, self.line);
        long(out, self.name);
        match &self.lines {
            None => out.push(0),
            Some((gap, lines)) => write_lines(out, *gap, lines),
        }
        out.push(0);
    }
}

/// Writes lines as the first line of each stretch, and how far each word's lies behind that. A stretch
/// is made so short that this fits a byte.
fn write_lines(out: &mut Vec<u8>, gap: u8, lines: &[i32]) {
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

fn number(out: &mut Vec<u8>, number: usize) {
    long(out, number as u64);
}

fn long(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push((number as u8 & 0x7f) | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}
