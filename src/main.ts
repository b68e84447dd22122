import 'reflect-metadata';
import { EnvironmentError } from './config/environment.js';
import { readEnvironment } from './config/read-environment.js';
import { DatabaseConnectionError, DatabaseSetupError } from './database/database-setup.error.js';
import { createLogger, logConsole, logProcessWarnings, logUnhandledErrors } from './observability/logger.js';
import { configureV8 } from './server/configure-v8.js';
import { ListenError } from './server/listening.js';
import { printSetupCode, startService } from './server/service.js';
import { StartupAbortedError, runUntilSignal } from './server/shutdown.js';

/** An error whose message says what an operator must do. Its exit code says whether another start may succeed. */
type ExplainedError = EnvironmentError | DatabaseSetupError | DatabaseConnectionError | ListenError;

const isExplained = (error: unknown): error is ExplainedError =>
  [EnvironmentError, DatabaseSetupError, DatabaseConnectionError, ListenError].some(
    (explained) => error instanceof explained,
  );

configureV8();
try {
  const environment = readEnvironment(process.env);
  const log = createLogger(environment.logLevel);
  logConsole(log);
  logProcessWarnings(log);
  logUnhandledErrors(log);
  try {
    const { url, setupCode } = await runUntilSignal((stopping) => startService(environment, log, stopping), log);
    log.info({ url }, 'listening');
    if (setupCode !== null) printSetupCode(setupCode, environment.port === 0 ? url : environment.baseUrl, log);
  } catch (err) {
    // An aborted start stops its own parts, and then the process ends.
    if (!(err instanceof StartupAbortedError)) {
      if (isExplained(err)) log.fatal(`The service could not start. ${err.message}`);
      else log.fatal({ err }, 'the service could not start');
      process.exitCode = isExplained(err) ? err.exitCode : 1;
      setTimeout(() => process.exit(), 1_000).unref();
    }
  }
} catch (error) {
  if (!(error instanceof EnvironmentError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = error.exitCode;
}
