package journal

// setLock is F_OFD_SETLK of the XNU kernel, which its headers keep private. SQLite's
// own locks use it too.
const setLock = 90
