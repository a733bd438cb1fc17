// The library logs each refusal, and reads its level when it is loaded: this module comes before it.
process.env.LOG_LEVEL = "silent";
