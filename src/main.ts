import 'reflect-metadata';
import { EnvironmentError } from './config/environment.js';
import { readEnvironment } from './config/read-environment.js';
import { DatabaseSetupError } from './database/database-setup.error.js';
import { createLogger, logConsole, logProcessWarnings } from './observability/logger.js';
import { configureV8 } from './server/configure-v8.js';
import { printSetupCode, startService } from './server/service.js';
import { StartupAbortedError, runUntilSignal } from './server/shutdown.js';

/** EX_CONFIG of sysexits.h: the environment or the database is wrong, so that another start would fail too. */
const WRONG_CONFIGURATION = 78;

configureV8();
try {
  const environment = readEnvironment(process.env);
  const log = createLogger(environment.logLevel);
  logConsole(log);
  logProcessWarnings(log);
  try {
    const { url, setupCode } = await runUntilSignal((stopping) => startService(environment, log, stopping), log);
    if (setupCode !== null) printSetupCode(setupCode, log);
    log.info({ url }, 'listening');
  } catch (err) {
    // An aborted start stops its own parts, and then the process ends.
    if (!(err instanceof StartupAbortedError)) {
      log.fatal({ err }, 'the service could not start');
      process.exitCode = err instanceof DatabaseSetupError || err instanceof EnvironmentError ? WRONG_CONFIGURATION : 1;
      setTimeout(() => process.exit(), 1_000).unref();
    }
  }
} catch (error) {
  if (!(error instanceof EnvironmentError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = WRONG_CONFIGURATION;
}
