import { sha256 } from '../../crypto/digests.js';
import { canonicalJson } from '../../domain/audit/canonical-json.js';
import { CommandError, type CommandResult, EXIT, usageError } from '../command-result.js';
import { plainText } from '../plain-text.js';
import { errorSentence, answerError, ServiceClient, type ServiceAnswer } from '../service/service-client.js';
import { ForkRunError } from '../service/identity-token.js';
import { findCommitted, megabytes, type SelectedFile, selectFiles } from '../upload/select-files.js';
import { type UploadFields, UploadForm } from '../upload/upload-form.js';
import { type CommandContext, parseCommit, readVersion, getRepository } from './command-context.js';
import { resolveRelease } from './resolve-release.js';

const ANSWER_MS = 120_000;
const BUDGET_MS = 300_000;
const SHORT_ANSWER_MS = 15_000;
const BAD_REQUEST = 400;
const TOO_LARGE = 413;
/** Fields that older services do not know. Every service counts an upload without them as older services do. */
const NEWER_FIELDS: ReadonlySet<string> = new Set(['run_attempt', 'job_group', 'job_total']);
/** Smaller uploads end before a user can read a line of progress. */
const PROGRESS_FROM_BYTES = 1_048_576;

/** The outcome of an upload that is not wanted: for a fork, or for a branch without a release. */
export const SKIPPED = 'skipped';

/** Uploads reports as evidence. A repetition, also in another process, adds no second upload. */
export async function upload(context: CommandContext): Promise<CommandResult> {
  const { args, env, cwd, note, maskToken } = context;
  const files = await selectFiles(args.operands, { cwd, allowEmpty: args.flag('allow-empty') });
  if (files.length === 0) return done('empty', {}, files, ['No file matches. Nothing was uploaded.']);
  await refuseCommitted(context, files);
  if (context.ci.isPullRequest === true) {
    note(
      'The run is for a pull request. Its commit may be a merge that is never deployed; evidence counts at its own commit only.',
    );
  }
  const client = new ServiceClient(args.text('url'), env, note, { maskToken });
  try {
    const described = await describeUpload(context, client);
    if ('because' in described) return done(SKIPPED, {}, files, [`Nothing was uploaded: ${described.because}`]);
    const { fields } = described;
    if (args.flag('dry-run')) return done('dry_run', fields, files, [`Would upload ${count(files)}.`]);
    return await send(context, client, fields, files);
  } catch (error) {
    if (!(error instanceof ForkRunError)) throw error;
    return done(SKIPPED, {}, files, [`Nothing was uploaded: ${error.message}`]);
  } finally {
    await client.close();
  }
}

async function refuseCommitted({ args, env, note }: CommandContext, files: readonly SelectedFile[]): Promise<void> {
  if (args.flag('allow-committed')) return;
  const { committed, isComplete } = await findCommitted(files, env);
  if (!isComplete) note('Some files are in no git repository, so it is not known whether they are committed.');
  if (committed.length === 0) return;
  const named = committed.slice(0, 3).map(plainText).join(', ');
  throw usageError(
    `${committed.length === 1 ? 'A file is' : `${committed.length} files are`} committed, so this run did not produce them: ${named}. ` +
      'Exclude them with !, or use --allow-committed.',
  );
}

type DescribedUpload = { readonly fields: UploadFields } | { readonly because: string };

/** Collects the fields of the upload from the options, else from CI. Returns the reason if no release is found. */
async function describeUpload(context: CommandContext, client: ServiceClient): Promise<DescribedUpload> {
  const { args, ci } = context;
  const pipeline = args.text('pipeline') ?? ci.pipeline;
  if (pipeline === undefined) throw usageError('The pipeline is missing. Use --pipeline with a readable name.');
  const commit = args.text('commit') ?? ci.commit;
  const job = args.text('job') ?? ci.job;
  const runUrl = args.text('run-url') ?? ci.runUrl;
  if (ci.system !== null && runUrl === undefined) {
    throw usageError(
      `${ci.system} does not name the page of the run. Use --run-url with one address for all jobs of it.`,
    );
  }
  const repo = getRepository(context);
  const resolved = await resolveRelease(context, client, readVersion(context), { repo, commit });
  if (resolved.version === null) return resolved;
  const named = {
    repo,
    version: resolved.version,
    pipeline,
    environment: args.text('environment'),
    kind: args.text('kind'),
    format: args.text('format'),
    job,
    commit_sha: commit === undefined ? undefined : parseCommit(commit, '--commit'),
    run_url: runUrl,
    run_attempt: ci.attempt,
    ...(ci.group && job !== undefined && { job_group: ci.group.name, job_total: ci.group.total }),
  };
  const given = Object.entries(named).filter((field): field is [string, string | number] => field[1] !== undefined);
  return { fields: Object.fromEntries(given) };
}

async function send(
  { note, progress }: CommandContext,
  client: ServiceClient,
  fields: UploadFields,
  files: readonly SelectedFile[],
): Promise<CommandResult> {
  const answer = await post(client, fields, files, progress);
  const known = answer.status === BAD_REQUEST ? await knownFields(client, fields) : fields;
  const unknown = Object.keys(fields).filter((name) => !Object.hasOwn(known, name));
  if (unknown.length === 0) return toResult(answer, fields, files);
  note(`This Shipgate is older, and does not know ${unknown.join(' and ')}. The upload is sent without.`);
  return toResult(await post(client, known, files, progress), known, files);
}

/** Returns only the fields that the service knows. Returns all fields if the service does not list the fields that it knows. */
async function knownFields(client: ServiceClient, fields: UploadFields): Promise<UploadFields> {
  const path = '/api/config/ci';
  const { json } = await client.send({ method: 'GET', path, answerMs: SHORT_ANSWER_MS, budgetMs: SHORT_ANSWER_MS });
  const { upload_fields: known } = (json ?? {}) as { readonly upload_fields?: unknown };
  if (!Array.isArray(known)) return fields;
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !NEWER_FIELDS.has(name) || known.includes(name)));
}

async function post(
  client: ServiceClient,
  fields: UploadFields,
  files: readonly SelectedFile[],
  progress: CommandContext['progress'],
): Promise<ServiceAnswer> {
  const total = files.reduce((sum, { size }) => sum + size, 0);
  const form = new UploadForm(fields, files, (bytes) => {
    if (total >= PROGRESS_FROM_BYTES) progress(`Uploading ${megabytes(bytes)} of ${megabytes(total)}`);
  });
  const postForm = (compressed: boolean): Promise<ServiceAnswer> =>
    client.send({
      method: 'POST',
      path: '/api/evidence/upload-report',
      headers: {
        'content-type': form.contentType,
        'idempotency-key': idempotencyKey(fields, files),
        ...(compressed && { 'content-encoding': 'gzip' }),
      },
      body: () => form.read({ compressed }),
      answerMs: ANSWER_MS,
      budgetMs: BUDGET_MS,
    });
  let answer = await postForm(true);
  // The service rejects a body that grows too much when decompressed. Uncompressed, the same files are within its limits.
  if (answer.status === TOO_LARGE) answer = await postForm(false);
  progress('');
  return answer;
}

/** Returns a key that is the same for the same content of the same run and job in every process, and different for other content. */
function idempotencyKey(fields: UploadFields, files: readonly SelectedFile[]): string {
  const content = canonicalJson({ fields, files: files.map((file) => [file.name, file.sha256]) });
  return `cli-${sha256(content)}`;
}

/** The statuses after which the same upload will never be accepted. */
const REFUSED: ReadonlySet<number> = new Set([400, 404, 409, 413, 415, 422]);

function toResult(answer: ServiceAnswer, fields: UploadFields, files: readonly SelectedFile[]): CommandResult {
  const { status, json, requestId } = answer;
  const id = (json as { readonly evidenceId?: unknown } | null | undefined)?.evidenceId;
  if ((status !== 200 && status !== 201) || typeof id !== 'string') {
    const error = answerError(REFUSED.has(status) ? EXIT.no : EXIT.unknown, answer);
    throw new CommandError(error.exit, error.outcome, errorSentence(answer), {
      ...error.members,
      ...toMembers(fields, files),
    });
  }
  const line =
    status === 201
      ? `Stored: ${plainText(id)}, ${count(files)} for ${plainText(String(fields['version']))}`
      : `Was stored before: ${plainText(id)}`;
  const outcome = status === 201 ? 'kept' : 'repeated';
  const items = readItems(json);
  return done(outcome, fields, files, [line, ...describeItems(items)], {
    evidence_id: id,
    request_id: requestId,
    items,
  });
}

/** Returns the evidence items that the service found in the files. Older services return none. */
function readItems(json: unknown): readonly unknown[] {
  const { pieces } = json as { readonly pieces?: unknown };
  return Array.isArray(pieces) ? pieces : [];
}

/** Returns a line for each evidence item. */
function describeItems(items: readonly unknown[]): readonly string[] {
  return items.flatMap((item) => {
    const { kind, environment, metrics } = (item ?? {}) as Readonly<Record<string, unknown>>;
    if (typeof kind !== 'string') return [];
    const numbers = Object.entries((metrics ?? {}) as Readonly<Record<string, unknown>>)
      .flatMap(([name, value]) =>
        typeof value === 'object' && value !== null ? Object.entries(value) : [[name, value]],
      )
      .filter(([, value]) => typeof value === 'number')
      .map(([name, value]) => `${String(value)} ${String(name)}`);
    const where = typeof environment === 'string' ? ` (${environment})` : '';
    return [`  ${plainText(`${kind}${where}: ${numbers.length === 0 ? 'stored' : numbers.join(', ')}`)}`];
  });
}

const toMembers = (fields: UploadFields, files: readonly SelectedFile[]): Readonly<Record<string, unknown>> => ({
  fields,
  files: files.map(({ name, size, sha256: digest }) => ({
    name,
    size,
    sha256: digest,
    // Without an option, the service detects the format.
    format: fields['format'] ?? null,
  })),
});

const done = (
  outcome: string,
  fields: UploadFields,
  files: readonly SelectedFile[],
  lines: readonly string[],
  members: Readonly<Record<string, unknown>> = {},
): CommandResult => ({
  exit: EXIT.yes,
  outcome,
  lines,
  members: { evidence_id: null, items: [], ...members, ...toMembers(fields, files) },
});

const count = (files: readonly SelectedFile[]): string => (files.length === 1 ? '1 file' : `${files.length} files`);
