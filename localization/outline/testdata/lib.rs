//! Crate docs fn fake() {
use std::fmt;

/// A limit.
pub const LIMIT: usize = 3;
static mut COUNT: u32 = { 1 };
type Pair<'a> = (&'a str, char);

#[derive(Debug, Clone)]
pub struct Ledger<'a, T> where T: Copy {
    pub name: &'a str,
    c: T,
}
struct Unit;
struct Tuple(u8, pub String);

pub(crate) enum State { Open { at: u8 }, Shut }

impl<'a, T: Copy + 'a> Ledger<'a, T> {
    /// Sums.
    #[inline]
    pub async fn total(&self, f: impl Fn(char) -> bool) -> Result<(), String> {
        let c = '{';
        let raw = r#"} fn fake() { "#;
        /* nested /* } */ } */
        match c { '}' => {} , _ => { fn nested() {} } }
        Ok(())
    }
    pub const MAX: u8 = 1;
}

impl<T> fmt::Display for crate::Ledger<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result { write!(f, "{}", self.name) }
}

pub trait Shape { const N: u8; fn area(&self) -> f64; fn twice(&self) -> f64 { self.area() * 2.0 } }

mod inner {
    pub unsafe extern "C" fn deep() {}
}

macro_rules! square { ($x:expr) => { $x * $x }; }
