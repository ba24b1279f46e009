const exported = [
  'java.base/jdk.internal.misc',
  'java.base/jdk.internal.ref',
  'java.base/sun.nio.ch',
  'java.management.rmi/com.sun.jmx.remote.internal.rmi',
  'java.rmi/sun.rmi.registry',
  'java.rmi/sun.rmi.server',
  'java.sql/java.sql',
  'java.base/java.lang.ref',
  'java.base/java.lang.reflect',
  'jdk.unsupported/sun.misc',
  'jdk.attach/sun.tools.attach',
];
const opened = [
  'java.base/java.lang.module',
  'java.base/java.net',
  'java.base/jdk.internal.loader',
  'java.base/jdk.internal.ref',
  'java.base/jdk.internal.reflect',
  'java.base/jdk.internal.math',
  'java.base/jdk.internal.module',
  'java.base/jdk.internal.util.jar',
  'java.base/sun.nio.ch',
  'java.base/java.io',
  'java.base/java.lang',
  'java.base/java.lang.reflect',
  'java.base/java.nio',
  'java.base/java.util',
  'java.base/java.util.concurrent',
  'java.base/java.util.concurrent.atomic',
  'java.rmi/sun.rmi.transport.tcp',
  'jdk.management/com.sun.management.internal',
  'jdk.compiler/com.sun.tools.javac.file',
];

/**
 * Rows that a start inserts to learn the bytes of a row in memory, 100,000 by default: those take 1.5 to 3 CPU seconds,
 * half of a start. The size is an average over equal rows: 180 bytes by either number.
 */
const MEASURED_ROWS = 1_000;
/** Precision of the clock for timeouts of 2 s and more, 2 ms by default: each tick wakes a thread, also of an idle node. */
const APPROXIMATE_TIME_MS = 20;

/**
 * Lets a node answer at once. Without it a node first listens to the others for 8 s: one that has ended learns in this time
 * which of them live, and which definitions it has missed.
 */
export const AT_ONCE = '-Dcassandra.skip_wait_for_gossip_to_settle=0';

/** Options that Cassandra 5.0 requires of Java 17, and options that keep a small node small and quick to start. */
export const javaOptions: readonly string[] = [
  ...exported.map((name) => `--add-exports=${name}=ALL-UNNAMED`),
  ...opened.map((name) => `--add-opens=${name}=ALL-UNNAMED`),
  '-Djdk.attach.allowAttachSelf=true',
  '-Dcassandra-foreground=yes',
  '-Dcassandra.ring_delay_ms=1',
  `-Dcassandra.memtable_row_overhead_computation_step=${MEASURED_ROWS}`,
  `-Dcassandra.approximate_time_precision_ms=${APPROXIMATE_TIME_MS}`,
  '-Dio.netty.tryReflectionSetAccessible=true',
  '-XX:+ExitOnOutOfMemoryError',
  '-XX:+UseSerialGC',
  '-XX:TieredStopAtLevel=1',
  '-XX:+PerfDisableSharedMem',
  // Verifying the bytecode of a release takes a fifth of a start.
  '-XX:+UnlockDiagnosticVMOptions',
  '-XX:-BytecodeVerificationRemote',
];
