import 'reflect-metadata';
import { Clock } from '../config/clock.js';
import { type Environment, EnvironmentError } from '../config/environment.js';
import { readEnvironment } from '../config/read-environment.js';
import { readCommandLine, exitWithUsage } from './commands/command-runtime.js';
import { type CheckResult, CheckResults, reportLines, summaryOf } from './doctor/check-result.js';
import { runChecks } from './doctor/run-checks.js';

const USAGE = `Looks at all that the service needs, and says of each thing whether it is as it must be and how to mend it.

  npm run doctor

Ends with 0 where nothing has to be mended, with 1 where something has. It looks with the service's own environment,
while the service runs or not.
`;

const { values } = readCommandLine(USAGE, { options: { help: { type: 'boolean', default: false } } });
if (values.help) exitWithUsage(USAGE);

const { stdout, env } = process;
const inColour = stdout.isTTY && !env['NO_COLOR'];
const findings: CheckResult[] = [];

function printResult(finding: CheckResult): void {
  findings.push(finding);
  stdout.write(reportLines(finding, inColour));
}

/** Null where it does not hold, once every problem of it was told. */
function readOwnEnvironment(): Environment | null {
  try {
    return readEnvironment(env);
  } catch (error) {
    if (!(error instanceof EnvironmentError)) throw error;
    for (const problem of error.problems)
      printResult(new CheckResults('environment').fail(problem, 'See .env.example.'));
    return null;
  }
}

const environment = readOwnEnvironment();
if (environment) for await (const finding of runChecks(environment, new Clock())) printResult(finding);
stdout.write(`\n${summaryOf(findings)}`);
process.exitCode = findings.some(({ status }) => status === 'fail') ? 1 : 0;
