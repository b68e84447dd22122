import * as core from '@actions/core';
import { type CiEnvironment, type Env, toGroup } from '../ci-environment.js';
import { Arguments } from '../command-line.js';
import { type CommandResult, EXIT, type FailedCommand, usageError } from '../command-result.js';
import { SKIPPED, upload } from '../commands/upload.js';
import { safeLines } from '../plain-text.js';
import { readSecret } from '../settings.js';
import { DECIDES } from '../upload/upload-receipt.js';
import { booleanInput, getError, releaseInput, runAction, textInput, linkedHtml } from './run-action.js';

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

/** The members of the result that the action reads. */
interface UploadMembers {
  readonly evidence_id: string | null;
  readonly files: readonly unknown[];
  readonly effect: string | null;
  readonly message: string | null;
  readonly commit_sha: string | null;
  readonly candidate_sha: string | null;
  readonly release_url: string | null;
}

/** Shows on the page of the run that the upload does not decide: as an error if the step fails, else as a warning. */
function announce({ exit }: CommandResult, { message }: Partial<UploadMembers>): void {
  // An older service tells no effect, and none was required.
  if (exit === EXIT.yes && typeof message !== 'string') return;
  const sentence = safeLines([
    message ?? 'This Shipgate is older and does not tell whether the upload decides.',
  ]).trimEnd();
  if (exit === EXIT.yes) core.warning(sentence);
  else core.error(sentence);
}

/** Writes the result of the upload to the page of the run. */
async function summarize(
  result: CommandResult | FailedCommand,
  { message, release_url: url }: Partial<UploadMembers>,
): Promise<void> {
  const sentence = getError(result) ?? message ?? result.lines[0];
  if (sentence === undefined) return;
  await core.summary.addRaw(`<p>${linkedHtml(sentence.replaceAll(/\s+/g, ' '), url)}</p>`, true).write();
}

void runAction({
  run: upload,
  describeJob,
  workingDirectory: () => textInput('working-directory'),
  readArguments: () =>
    new Arguments(
      {
        url: textInput('url'),
        release: releaseInput(),
        environment: textInput('environment'),
        kind: textInput('kind'),
        pipeline: textInput('pipeline'),
        job: textInput('job'),
        'allow-empty': booleanInput('allow-empty'),
        'allow-committed': booleanInput('allow-committed'),
        'require-effect': booleanInput('require-effect'),
      },
      core.getMultilineInput('files').filter((pattern) => pattern !== ''),
    ),
  report: async (result, env) => {
    const { outcome, members, lines } = result;
    const { evidence_id: id = null, files = [], ...receipt } = members as Partial<UploadMembers>;
    core.setOutput('evidence-id', id);
    core.setOutput('repeated', outcome === 'repeated');
    core.setOutput('files', id === null ? 0 : files.length);
    core.setOutput('skipped', outcome === SKIPPED);
    core.setOutput('effect', receipt.effect ?? null);
    core.setOutput('commit-sha', receipt.commit_sha ?? null);
    core.setOutput('candidate-sha', receipt.candidate_sha ?? null);
    core.setOutput('release-url', receipt.release_url ?? null);
    if (outcome === SKIPPED) (result.exit === EXIT.yes ? core.notice : core.error)(lines.join(' '));
    if (id !== null && receipt.effect !== DECIDES) announce(result, receipt);
    if (env['GITHUB_STEP_SUMMARY']) await summarize(result, receipt);
  },
});
