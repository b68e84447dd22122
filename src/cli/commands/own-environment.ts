import type { Environment } from '../../config/environment.js';
import { EnvironmentError } from '../../config/environment-error.js';
import { readEnvironment } from '../../config/read-environment.js';

/** The environment of the service beside which a command runs. Where it does not hold, the process ends as the service would. */
export function readOwnEnvironment(): Environment {
  try {
    return readEnvironment(process.env);
  } catch (error) {
    if (!(error instanceof EnvironmentError)) throw error;
    process.stderr.write(`${error.message}\n`);
    return process.exit(error.exitCode);
  }
}
