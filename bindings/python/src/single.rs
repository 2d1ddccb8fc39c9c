//! State that one thread uses at a time.

use std::sync::{Mutex, MutexGuard, TryLockError};

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

/// The state of an object of this class. Nobody waits for it: whoever finds it in use made a mistake, and is told so.
pub struct Single<T> {
    class: &'static str,
    state: Mutex<T>,
}

impl<T> Single<T> {
    pub fn new(class: &'static str, state: T) -> Single<T> {
        Single { class, state: Mutex::new(state) }
    }

    /// Takes the state for reading on, unless another thread, or a caller of this one, is at it.
    pub fn take(&self) -> PyResult<MutexGuard<'_, T>> {
        match self.state.try_lock() {
            Ok(state) => Ok(state),
            // A panic would be a mistake of ours: the parser stays sound.
            Err(TryLockError::Poisoned(state)) => Ok(state.into_inner()),
            Err(TryLockError::WouldBlock) => {
                let class = self.class;
                Err(PyRuntimeError::new_err(format!(
                    "this {class} is in use: one stream is read in one thread at a time, so give each thread a {class} of \
                     its own"
                )))
            }
        }
    }
}
