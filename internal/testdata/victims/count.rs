//! count THREADS: what Rust compiles to: methods, trait objects, generics, closures, panics
//! that are caught, strings and vectors. Counts are atomics of each thread's own.

use std::cell::Cell;
use std::hint::black_box;
use std::io::{self, BufRead, Write};
use std::panic;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::*};
use std::sync::mpsc::{channel, Sender};
use std::thread;

const NAMES: [&str; 11] = [
    "work_leaf", "work_recursive", "work_tail", "work_slice", "work_string", "work_big",
    "work_panics", "work_method", "work_dyn_a", "work_dyn_b", "work_closure",
];
const SLOTS: usize = 256;

#[allow(clippy::declare_interior_mutable_const)]
const ZERO: AtomicU64 = AtomicU64::new(0);
#[allow(clippy::declare_interior_mutable_const)]
const ROW: [AtomicU64; NAMES.len()] = [ZERO; NAMES.len()];
static COUNTS: [[AtomicU64; NAMES.len()]; SLOTS] = [ROW; SLOTS];
static STOP: AtomicBool = AtomicBool::new(false);

thread_local!(static SLOT: Cell<usize> = const { Cell::new(0) });

#[inline(always)]
fn count(func: usize) {
    COUNTS[SLOT.get()][func].fetch_add(1, Relaxed);
}

fn check<T: PartialEq + std::fmt::Debug>(what: &str, got: T, want: T) {
    if got != want {
        println!("error {what}: got {got:?}, want {want:?}");
        std::process::abort();
    }
}

#[no_mangle]
#[inline(never)]
pub fn work_leaf(x: u64) -> u64 {
    count(0);
    x * 3 + 1
}

#[no_mangle]
#[inline(never)]
pub fn work_recursive(n: u64) -> u64 {
    count(1);
    // Every call is to be a call: a loop could be made of the second one.
    if n < 2 { n } else { work_recursive(n - 1) + black_box(work_recursive(n - 2)) }
}

#[no_mangle]
#[inline(never)]
pub fn work_tail(x: u64) -> u64 {
    count(2);
    work_leaf(x + 1)
}

#[no_mangle]
#[inline(never)]
pub fn work_slice(s: &[u64]) -> Option<u64> {
    count(3);
    s.iter().copied().max()
}

#[no_mangle]
#[inline(never)]
pub fn work_string(x: u64) -> String {
    count(4);
    format!("number {x}")
}

pub struct Big([u64; 20]);

#[no_mangle]
#[inline(never)]
pub fn work_big(x: u64, big: Big) -> (Big, u128) {
    count(5);
    let sum: u64 = big.0.iter().sum();
    (Big([x; 20]), sum as u128 * x as u128)
}

#[no_mangle]
#[inline(never)]
pub fn work_panics(x: u64) -> u64 {
    count(6);
    let owned = vec![x; 3]; // must be dropped by unwinding
    if x % 16 == 0 {
        panic::resume_unwind(Box::new(owned[0]));
    }
    owned.iter().sum()
}

pub struct Counter(u64);

impl Counter {
    #[export_name = "work_method"]
    #[inline(never)]
    pub fn add(&mut self, x: u64) -> u64 {
        count(7);
        self.0 += x;
        self.0
    }
}

pub trait Shape {
    fn area(&self) -> u64;
}

pub struct A(u64);
pub struct B(u64, u64);

#[no_mangle]
#[inline(never)]
pub fn work_dyn_a(a: &A) -> u64 {
    count(8);
    a.0 * a.0
}

#[no_mangle]
#[inline(never)]
pub fn work_dyn_b(b: &B) -> u64 {
    count(9);
    b.0 * b.1
}

impl Shape for A {
    fn area(&self) -> u64 { work_dyn_a(self) }
}

impl Shape for B {
    fn area(&self) -> u64 { work_dyn_b(self) }
}

#[no_mangle]
#[inline(never)]
pub fn work_closure(f: &dyn Fn(u64) -> u64, x: u64) -> u64 {
    count(10);
    f(x)
}

fn round(x: u64) {
    check("leaf", work_leaf(x), x * 3 + 1);
    check("recursive", work_recursive(6), 8);
    check("tail", work_tail(x), (x + 1) * 3 + 1);
    check("slice", work_slice(&[1, x, 3]), Some(x.max(3)));
    check("string", work_string(x), String::from("number ") + &x.to_string());
    let (big, product) = work_big(x, Big([2; 20]));
    check("big", (big.0[19], product), (x, 40 * x as u128));
    let caught = panic::catch_unwind(|| work_panics(x)).map_err(|e| *e.downcast::<u64>().unwrap());
    check("panics", caught, if x % 16 == 0 { Err(x) } else { Ok(3 * x) });
    check("method", Counter(x).add(2), x + 2);
    let shapes: [Box<dyn Shape>; 2] = [Box::new(A(x)), Box::new(B(x, 2))];
    check("dyn", black_box(&shapes).iter().map(|s| s.area()).sum(), x * x + 2 * x);
    check("closure", work_closure(&|y| y + x, 5), x + 5);
}

enum Go {
    Rounds(u64),
    Endless,
}

fn worker(slot: usize, goes: std::sync::mpsc::Receiver<Go>, done: Sender<()>) {
    SLOT.set(slot);
    let mut seed = slot as u64;
    let mut next = || {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        seed >> 54
    };
    for go in goes {
        match go {
            Go::Rounds(n) => (0..n).for_each(|_| round(next())),
            Go::Endless => while !STOP.load(Relaxed) { round(next()) },
        }
        done.send(()).unwrap();
    }
}

fn report() {
    for (i, name) in NAMES.iter().enumerate() {
        let n: u64 = COUNTS.iter().map(|row| row[i].load(Relaxed)).sum();
        println!("count {name} {n}");
    }
    println!("end");
}

fn main() {
    let threads = std::env::args().nth(1).map_or(1, |s| s.parse().unwrap());
    let (done, finished) = channel();
    let workers: Vec<Sender<Go>> = (0..threads).map(|i| {
        let (go, goes) = channel();
        let done = done.clone();
        thread::spawn(move || worker(i, goes, done));
        go
    }).collect();
    let all = |go: fn(u64) -> Go, n| workers.iter().for_each(|w| w.send(go(n)).unwrap());
    let wait = || (0..threads).for_each(|_| finished.recv().unwrap());
    println!("ready {}", std::process::id());
    for line in io::stdin().lock().lines() {
        let line = line.unwrap();
        match line.split_once(' ').unwrap_or((&line, "")) {
            ("run", n) => {
                all(Go::Rounds, n.parse().unwrap());
                wait();
                println!("done");
            }
            ("start", _) => {
                STOP.store(false, Relaxed);
                all(|_| Go::Endless, 0);
                println!("started");
            }
            ("stop", _) => {
                STOP.store(true, Relaxed);
                wait();
                println!("stopped");
            }
            ("report", _) => report(),
            ("quit", _) => {
                println!("bye");
                break;
            }
            _ => panic!("unknown command: {line}"),
        }
        io::stdout().flush().unwrap();
    }
    // Workers may still run when the input ends in the middle.
    std::process::exit(0);
}
