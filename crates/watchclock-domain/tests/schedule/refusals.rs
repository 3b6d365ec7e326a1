//! What is refused, where the problem lies, and that nothing can make the engine hang.
