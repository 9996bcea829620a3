//! What the stories share
