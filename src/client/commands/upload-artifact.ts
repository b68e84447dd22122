import { readFileSync, statSync } from 'node:fs';
import { type CommandResult, EXIT, unknownError, usageError } from '../command-result.js';
import { fileProblem } from '../file-problem.js';
import { plainText } from '../plain-text.js';
import { answerError, jsonBody, ServiceClient } from '../service/service-client.js';
import { type CommandContext, getRepository, parseArtifact, parseCommit, readVersion } from './command-context.js';
import { findRelease } from './find-release.js';

const ANSWER_MS = 30_000;
const BUDGET_MS = 300_000;
/** The limit of the service. */
const MAX_BUNDLE_BYTES = 1_048_576;

/** States an artifact of a release by its digest, with the attestation of its build. */
export async function uploadArtifact(context: CommandContext, given: string): Promise<CommandResult> {
  const { args, ci, env, note, maskToken } = context;
  if (args.operands.length > 0) throw usageError('Upload reports and an artifact in two calls.');
  const artifact = parseArtifact(given);
  const file = args.text('attestation');
  const bundle = file === undefined ? undefined : readBundle(file);
  const [stated, version] = [args.text('commit') ?? ci.commit, readVersion(context)];
  const commit = stated === undefined ? undefined : parseCommit(stated, '--commit');
  const client = new ServiceClient(args.text('url'), env, note, { maskToken });
  try {
    const repo = getRepository(context);
    const release = await findRelease(context, client, version, { repo, commit });
    if (release.version === null) throw unknownError(release.because);
    const answer = await client.send({
      method: 'POST',
      path: '/api/artifacts',
      ...jsonBody({
        repo,
        version: release.version,
        ...artifact,
        ...(commit !== undefined && { commit_sha: commit }),
        ...(bundle !== undefined && { bundle }),
      }),
      answerMs: ANSWER_MS,
      budgetMs: BUDGET_MS,
    });
    const { artifactId: id, binding } = (answer.json ?? {}) as {
      readonly artifactId?: unknown;
      readonly binding?: unknown;
    };
    if ((answer.status !== 200 && answer.status !== 201) || typeof id !== 'string') throw answerError('change', answer);
    const bound = typeof binding === 'string' ? plainText(binding) : null;
    return {
      exit: EXIT.yes,
      outcome: answer.status === 201 ? 'kept' : 'repeated',
      members: {
        artifact_id: id,
        binding: bound,
        repo,
        release: release.version,
        ...artifact,
        request_id: answer.requestId,
      },
      lines: [
        `Stored: ${plainText(artifact.name)} of ${plainText(release.version)}, bound to its commit by: ${bound ?? 'unknown'}`,
      ],
    };
  } finally {
    await client.close();
  }
}

/** Reads a bundle of Sigstore. A file with one bundle a line is rejected, because only one would be sent. */
function readBundle(file: string): object {
  let text: string;
  try {
    if (statSync(file).size > MAX_BUNDLE_BYTES)
      throw usageError(`${file} is larger than 1 MB, which Shipgate rejects.`);
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw error instanceof Error && 'code' in error
      ? usageError(`The attestation cannot be read: ${fileProblem(error)}.`)
      : error;
  }
  try {
    const bundle: unknown = JSON.parse(text);
    if (typeof bundle === 'object' && bundle !== null && !Array.isArray(bundle)) return bundle;
  } catch {
    // Told below, in our own words.
  }
  throw usageError(`${file} is not one attestation bundle in JSON. If it has one a line, use a file with one of them.`);
}
