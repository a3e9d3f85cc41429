//! unwind: Rust panics through calls that the test has wrapped. The commands are those of
//! unwind.h.

use std::ffi::{c_int, c_void};
use std::fs::OpenOptions;
use std::hint::black_box;
use std::io::{self, BufRead, Write};
use std::os::fd::AsRawFd;
use std::panic;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::SeqCst};
use std::thread;

type Fn1 = extern "C-unwind" fn(i64) -> i64;
type Caller = extern "C-unwind" fn(Fn1, i64) -> i64;

extern "C" {
    fn mmap(at: *mut c_void, size: usize, prot: c_int, flags: c_int, fd: c_int, off: i64) -> *mut c_void;
}

const READ: c_int = 1;
const WRITE: c_int = 2;
const EXEC: c_int = 4;
const SHARED: c_int = 1;
const PRIVATE_ANONYMOUS: c_int = 0x22;
const FIXED_NOREPLACE: c_int = 0x100000;

#[inline(never)]
extern "C-unwind" fn called0(f: Fn1, x: i64) -> i64 {
    black_box(f(x))
}

#[inline(never)]
extern "C-unwind" fn called1(f: Fn1, x: i64) -> i64 {
    black_box(f(x)) + 0 * x
}

#[inline(never)]
extern "C-unwind" fn leaf(_: Fn1, x: i64) -> i64 {
    x + 1
}

/// Addresses of the functions, in the order of unwind.h; where it has others, these serve.
fn bodies() -> [usize; 5] {
    [called0 as usize, called1 as usize, called1 as usize, called1 as usize, leaf as usize]
}

static SLOTS: AtomicUsize = AtomicUsize::new(0);

fn through(i: usize, f: Fn1, x: i64) -> i64 {
    let slots = SLOTS.load(SeqCst);
    let addr = match slots {
        0 => bodies()[i],
        at => unsafe { (*((at + 8 * i) as *const AtomicUsize)).load(SeqCst) },
    };
    let caller: Caller = unsafe { std::mem::transmute(addr) };
    caller(f, x)
}

static DROPPED: AtomicU64 = AtomicU64::new(0);

struct Guard;

impl Drop for Guard {
    fn drop(&mut self) {
        DROPPED.fetch_add(1, SeqCst);
    }
}

extern "C-unwind" fn deep(n: i64) -> i64 {
    let _guard = Guard;
    if n == 0 {
        panic!("deep");
    }
    through(0, deep, n - 1) + 1
}

extern "C-unwind" fn catches(n: i64) -> i64 {
    let _guard = Guard;
    let caught = panic::catch_unwind(|| through(1, deep, n));
    match caught {
        Ok(r) => r,
        Err(why) => panic::resume_unwind(why),
    }
}

fn check(what: &str, got: u64, want: u64) {
    if got != want {
        println!("error {what}: got {got}, want {want}");
        std::process::abort();
    }
}

fn panics() {
    for n in (0..200).chain([1000]) {
        let before = DROPPED.load(SeqCst);
        let r = panic::catch_unwind(|| through(0, catches, n));
        check("panicked", r.is_err() as u64, 1);
        check("dropped", DROPPED.load(SeqCst) - before, n as u64 + 2);
    }
    let died = thread::spawn(|| through(0, catches, 20)).join();
    check("thread panicked", died.is_err() as u64, 1);
}

fn hex(s: &str) -> usize {
    usize::from_str_radix(s, 16).unwrap()
}

fn map(at: usize, size: usize, prot: c_int, flags: c_int, fd: c_int, off: usize) {
    let p = unsafe { mmap(at as *mut c_void, size, prot, flags | FIXED_NOREPLACE, fd, off as i64) };
    check("address of a mapping", p as u64, at as u64);
}

fn arena(args: &[&str]) {
    let file = OpenOptions::new().read(true).write(true).open(args[0]).unwrap();
    let (at, code, size) = (hex(args[1]), hex(args[2]), hex(args[3]));
    let fd = file.as_raw_fd();
    map(at, code, READ | EXEC, SHARED, fd, 0);
    map(at + code, size - code, READ | WRITE, SHARED, fd, code);
    map(hex(args[4]), hex(args[5]), READ | WRITE, PRIVATE_ANONYMOUS, -1, 0);
}

fn obey(words: &[&str]) -> &'static str {
    match words[0] {
        "arena" => {
            arena(&words[1..]);
            "mapped"
        }
        "slots" => {
            SLOTS.store(hex(words[1]), SeqCst);
            "set"
        }
        "panic" => {
            panics();
            "done"
        }
        "report" => {
            for (i, b) in bodies().iter().enumerate() {
                println!("info body{i} {b}");
            }
            "end"
        }
        "quit" => "bye",
        _ => "error unknown command",
    }
}

fn main() {
    panic::set_hook(Box::new(|_| {}));
    println!("ready {}", std::process::id());
    for line in io::stdin().lock().lines() {
        let line = line.unwrap();
        let words: Vec<&str> = line.split(' ').collect();
        let answer = obey(&words);
        println!("{answer}");
        io::stdout().flush().unwrap();
        if answer == "bye" {
            break;
        }
    }
}
