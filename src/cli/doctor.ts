import 'reflect-metadata';
import { Clock } from '../config/clock.js';
import { type Environment, EnvironmentError } from '../config/environment.js';
import { readEnvironment } from '../config/read-environment.js';
import { readCommandLine, exitWithUsage } from './commands/command-runtime.js';
import { type CheckResult, CheckResults, formatResult, formatSummary } from './doctor/check-result.js';
import { runChecks } from './doctor/run-checks.js';

const USAGE = `Checks everything that the service needs. Prints the result of each check and how to fix a problem.

  npm run doctor

Exits with 0 if no check failed, otherwise with 1. It uses the service's environment. The service may be running.
`;

const { values } = readCommandLine(USAGE, { options: { help: { type: 'boolean', default: false } } });
if (values.help) exitWithUsage(USAGE);

const { stdout, env } = process;
const withColor = stdout.isTTY && !env['NO_COLOR'];
const results: CheckResult[] = [];

function printResult(result: CheckResult): void {
  results.push(result);
  stdout.write(formatResult(result, withColor));
}

/** Returns null if the environment is invalid, after printing every problem. */
function readEnvironmentOrReport(): Environment | null {
  try {
    return readEnvironment(env);
  } catch (error) {
    if (!(error instanceof EnvironmentError)) throw error;
    for (const problem of error.problems)
      printResult(new CheckResults('environment').fail(problem, 'See .env.example and .env.advanced.example.'));
    return null;
  }
}

const environment = readEnvironmentOrReport();
if (environment) for await (const result of runChecks(environment, new Clock())) printResult(result);
stdout.write(`\n${formatSummary(results)}`);
process.exitCode = results.some(({ status }) => status === 'fail') ? 1 : 0;
