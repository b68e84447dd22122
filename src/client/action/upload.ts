import * as core from '@actions/core';
import { type CiEnvironment, type Env, toGroup } from '../ci-environment.js';
import { Arguments } from '../command-line.js';
import { usageError } from '../command-result.js';
import { SKIPPED, upload } from '../commands/upload.js';
import { readSecret } from '../settings.js';
import { booleanInput, runAction, textInput } from './run-action.js';

/** Returns all values of a matrix in their order, without the names. */
function toValues(matrix: unknown): readonly string[] {
  if (typeof matrix === 'object' && matrix !== null) return Object.values(matrix).flatMap(toValues);
  if (matrix === null) return [];
  return [typeof matrix === 'string' ? matrix : JSON.stringify(matrix)];
}

function readMatrix(): readonly string[] {
  try {
    return toValues(JSON.parse(core.getInput('matrix') || 'null'));
  } catch {
    throw usageError('The input matrix must be JSON. Leave it out.');
  }
}

/** Adds the matrix values to the name of the job, as GitHub shows it: `test (22, ubuntu-latest)`. No variable has the values. */
function describeJob(ci: CiEnvironment, env: Env): CiEnvironment {
  const values = readMatrix();
  const total = Number(core.getInput('job-total'));
  return {
    ...ci,
    job: ci.job !== undefined && values.length > 0 ? `${ci.job} (${values.join(', ')})` : ci.job,
    // With an identity token, Shipgate reads the jobs of the run from GitHub.
    group: readSecret('SHIPGATE_API_KEY', env) === null ? undefined : toGroup(ci.job, total),
  };
}

void runAction({
  run: upload,
  describeJob,
  workingDirectory: () => textInput('working-directory'),
  readArguments: () =>
    new Arguments(
      {
        url: textInput('url'),
        release: textInput('release'),
        environment: textInput('environment'),
        kind: textInput('kind'),
        pipeline: textInput('pipeline'),
        job: textInput('job'),
        'allow-empty': booleanInput('allow-empty'),
        'allow-committed': booleanInput('allow-committed'),
      },
      core.getMultilineInput('files').filter((pattern) => pattern !== ''),
    ),
  report: ({ outcome, members, lines }) => {
    const { evidence_id: id = null, files = [] } = members as {
      readonly evidence_id?: string | null;
      readonly files?: readonly unknown[];
    };
    core.setOutput('evidence-id', id);
    core.setOutput('repeated', outcome === 'repeated');
    core.setOutput('files', id === null ? 0 : files.length);
    core.setOutput('skipped', outcome === SKIPPED);
    if (outcome === SKIPPED) core.notice(lines.join(' '));
  },
});
