//! Blocked gzip (BGZF), which bgzip writes: parts of at most 64 KiB, each a gzip member that states its size. Threads
//! decompress them in parallel.

use std::io::{self, BufRead, Read};

use basrelief::Run;
use flate2::bufread::GzDecoder;
use rayon::prelude::*;

/// The bytes of a member before its extra fields. The last two are the length of these fields.
const HEADER: usize = 12;

/// The first bytes of a gzip member with extra fields.
const START: [u8; 4] = [0x1f, 0x8b, 8, 4];

/// The name and the length of the extra field that contains the size of the block, minus 1.
const SIZE_FIELD: [u8; 4] = [b'B', b'C', 2, 0];

/// The number of blocks that are decompressed at a time: 4 MiB of text.
const TOGETHER: usize = 64;

/// Whether a file with these first bytes is blocked gzip.
pub(crate) fn is_blocked(start: &[u8]) -> bool {
    size(start).is_some()
}

/// Decompresses blocked gzip. A file without the empty block at its end is refused, because it was truncated.
pub(crate) struct BlockedReader<'r, R> {
    inner: R,
    run: &'r Run,
    blocks: Vec<Block>,
    /// The block that is read next, and the bytes of its text that were read.
    next: usize,
    read: usize,
    /// Whether the last block was empty.
    is_complete: bool,
}

#[derive(Default)]
struct Block {
    packed: Vec<u8>,
    text: Vec<u8>,
}

impl<'r, R: BufRead> BlockedReader<'r, R> {
    pub(crate) fn new(inner: R, run: &'r Run) -> Self {
        Self { inner, run, blocks: Vec::new(), next: 0, read: 0, is_complete: false }
    }

    /// Replaces the blocks with the next ones. There are none at the end of the file.
    fn fill(&mut self) -> io::Result<()> {
        let mut memory = std::mem::take(&mut self.blocks).into_iter();
        while self.blocks.len() < TOGETHER {
            let mut block = memory.next().unwrap_or_default();
            if !block.read_packed(&mut self.inner)? {
                break;
            }
            self.blocks.push(block);
        }
        (self.next, self.read) = (0, 0);
        let blocks = &mut self.blocks;
        self.run.install(|| blocks.par_iter_mut().try_for_each(Block::decompress))?;
        match self.blocks.last() {
            Some(last) => self.is_complete = last.text.is_empty(),
            None if !self.is_complete => {
                let problem = "the empty block at the end of blocked gzip (BGZF) is missing";
                return Err(io::Error::new(io::ErrorKind::UnexpectedEof, problem));
            }
            None => {}
        }
        Ok(())
    }
}

impl<R: BufRead> Read for BlockedReader<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let Some(block) = self.blocks.get(self.next) else {
                self.fill()?;
                if self.blocks.is_empty() {
                    return Ok(0);
                }
                continue;
            };
            let count = (&block.text[self.read..]).read(buffer)?;
            self.read += count;
            if count > 0 || buffer.is_empty() {
                return Ok(count);
            }
            (self.next, self.read) = (self.next + 1, 0);
        }
    }
}

impl Block {
    /// Reads the bytes of the next block, without decompressing them. Returns `false` at the end of the file.
    fn read_packed(&mut self, file: &mut impl BufRead) -> io::Result<bool> {
        self.packed.clear();
        if file.fill_buf()?.is_empty() {
            return Ok(false);
        }
        let no_block =
            || invalid("a part of the file is not blocked gzip (BGZF), although its start is");
        self.packed.resize(HEADER, 0);
        file.read_exact(&mut self.packed)?;
        let fields = length_of_fields(&self.packed).ok_or_else(no_block)?;
        self.packed.resize(HEADER + fields, 0);
        file.read_exact(&mut self.packed[HEADER..])?;
        let size = size(&self.packed).ok_or_else(no_block)?;
        let rest = size.checked_sub(self.packed.len()).ok_or_else(|| invalid(WRONG_SIZE))?;
        file.take(rest as u64).read_to_end(&mut self.packed)?;
        if self.packed.len() < size {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        Ok(true)
    }

    fn decompress(&mut self) -> io::Result<()> {
        self.text.clear();
        let mut decoder = GzDecoder::new(&self.packed[..]);
        decoder.read_to_end(&mut self.text)?;
        match decoder.into_inner() {
            [] => Ok(()),
            _ => Err(invalid(WRONG_SIZE)),
        }
    }
}

const WRONG_SIZE: &str = "a block of blocked gzip (BGZF) does not have the size that it states";

fn invalid(problem: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, problem)
}

/// The length of the extra fields, from a header; `None` if there are none.
fn length_of_fields(header: &[u8]) -> Option<usize> {
    let &[low, high] = header.strip_prefix(&START)?.last_chunk()?;
    Some(usize::from(u16::from_le_bytes([low, high])))
}

/// The size in bytes of a block, from its start: the header and the extra fields.
fn size(start: &[u8]) -> Option<usize> {
    let (header, rest) = start.split_at_checked(HEADER)?;
    let mut fields = rest.get(..length_of_fields(header)?)?;
    while let Some((&[name, other, low, high], rest)) = fields.split_first_chunk() {
        let length = usize::from(u16::from_le_bytes([low, high]));
        let value = rest.get(..length)?;
        match (SIZE_FIELD == [name, other, low, high], value) {
            (true, &[low, high]) => return Some(usize::from(u16::from_le_bytes([low, high])) + 1),
            _ => fields = &rest[length..],
        }
    }
    None
}
