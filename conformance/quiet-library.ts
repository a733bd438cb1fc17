// The library logs each refusal and reads its log level when loaded, so this module must be imported first.
process.env.LOG_LEVEL = "silent";
