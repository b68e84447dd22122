import { sha256 } from '../../crypto/digests.js';
import { canonicalJson } from '../../domain/audit/canonical-json.js';
import { CommandError, type CommandResult, EXIT, usageError } from '../command-result.js';
import { plainText } from '../plain-text.js';
import { answerError, BAD_REQUEST, ServiceClient, type ServiceAnswer } from '../service/service-client.js';
import { ForkRunError } from '../service/identity-token.js';
import { findCommitted, megabytes, type SelectedFile, selectFiles } from '../upload/select-files.js';
import { type FormFields, UploadForm } from '../upload/upload-form.js';
import { describeReceipt, describeWarning, readReceipt, toExitCode } from '../upload/upload-receipt.js';
import { AUTO, type CommandContext, parseCommit, readVersion, getRepository } from './command-context.js';
import { findRelease } from './find-release.js';

const ANSWER_MS = 120_000;
const BUDGET_MS = 300_000;
const SHORT_ANSWER_MS = 15_000;
const REQUIRE_EFFECT = 'SHIPGATE_REQUIRE_EFFECT';
const ID_TOKEN = 'SHIPGATE_ID_TOKEN';
const TOO_LARGE = 413;
/** Fields that older services do not know. Every service counts an upload without them as older services do. */
const NEWER_FIELDS: ReadonlySet<string> = new Set(['run_attempt', 'job_group', 'job_total']);
const SHORT_SHA = 7;
/** Smaller uploads end before a user can read a line of progress. */
const PROGRESS_FROM_BYTES = 1_048_576;

/** The outcome of an upload that is not wanted: for a fork, or for a branch without a release. */
export const SKIPPED = 'skipped';

/** Uploads reports as evidence. A repetition, also in another process, adds no second upload. */
export async function upload(context: CommandContext): Promise<CommandResult> {
  const { args, env, ci, cwd, note, maskToken } = context;
  // Wrong use is reported before anything is sent.
  requiresEffect(context);
  const artifact = args.text('artifact');
  if (artifact !== undefined) return (await import('./upload-artifact.js')).uploadArtifact(context, artifact);
  if (args.text('attestation') !== undefined) throw usageError('--attestation needs --artifact NAME@sha256:….');
  const files = await selectFiles(args.operands, { cwd, allowEmpty: args.flag('allow-empty') });
  if (files.length === 0) return nothing(context, 'empty', files, 'No file matches. Nothing was uploaded.');
  await refuseCommitted(context, files);
  if (ci.isPullRequest === true) {
    note(
      'The run is for a pull request. Its commit may be a merge that is never deployed; evidence counts at its own commit only.',
    );
  }
  const version = readVersion(context);
  const isDryRun = args.flag('dry-run');
  noteMissingNames(context, isDryRun);
  if (isDryRun && version !== AUTO) return dryRun(describeFields(context, version, 'local'), files);
  const client = new ServiceClient(args.text('url'), env, note, { maskToken });
  try {
    const repo = getRepository(context);
    // Wrong use is reported before anything is sent.
    describeFields(context, version);
    const resolved = await findRelease(context, client, version, { repo, commit: args.text('commit') ?? ci.commit });
    if (resolved.version === null) return nothing(context, SKIPPED, files, `Nothing was uploaded: ${resolved.because}`);
    const fields = describeFields(context, resolved.version);
    return isDryRun ? await dryRun(fields, files) : await send(context, client, fields, files);
  } catch (error) {
    if (!(error instanceof ForkRunError)) throw error;
    return nothing(context, SKIPPED, files, `Nothing was uploaded: ${error.message}`);
  } finally {
    await client.close();
  }
}

/** Reads the files as the service would, and ends as the upload would if the service knows the release. */
async function dryRun(fields: FormFields, files: readonly SelectedFile[]): Promise<CommandResult> {
  // The readers are loaded only here, because an upload does not need them.
  const { formatReadFile, readFiles } = await import('../upload/dry-run.js');
  const text = (name: string): string | undefined => fields[name]?.toString();
  const read = readFiles(files, { kind: text('kind'), format: text('format') });
  const rejected = read.flatMap((file) => (file.rejected === null ? [] : [plainText(file.rejected)]));
  const members = { ...toMembers(fields, files), read };
  if (rejected.length > 0) {
    throw new CommandError(EXIT.no, 'refused', [`Shipgate would reject the upload.`, ...rejected].join('\n'), members);
  }
  const commit = text('commit_sha');
  const job = text('job');
  return {
    exit: EXIT.yes,
    outcome: 'dry_run',
    members: { evidence_id: null, effect: null, items: [], ...members },
    lines: [
      plainText(
        `Would upload ${count(files)} for ${text('version')} of ${text('repo')} ` +
          `${commit === undefined ? 'at the candidate' : `at ${commit.slice(0, SHORT_SHA)}`} ` +
          `(pipeline ${text('pipeline')}${job === undefined ? '' : `, job ${job}`}, environment ${text('environment') ?? 'ci'}):`,
      ),
      ...read.flatMap(formatReadFile),
      'Nothing was uploaded. Not checked: the credential, and whether Shipgate has this release and accepts evidence for it.',
    ],
  };
}

async function refuseCommitted({ args, env, note }: CommandContext, files: readonly SelectedFile[]): Promise<void> {
  if (args.flag('allow-committed')) return;
  const { committed, isComplete } = await findCommitted(files, env);
  if (!isComplete) note('Some files are in no git repository, so it is not known whether this run produced them.');
  if (committed.length === 0) return;
  const named = committed.slice(0, 3).map(plainText).join(', ');
  throw usageError(
    `${committed.length === 1 ? 'A file is' : `${committed.length} files are`} committed, so this run did not produce them: ${named}. ` +
      'Exclude them with !, or use --allow-committed.',
  );
}

/** Says what an upload from no known CI system lacks. An upload with an identity token proves its run. */
function noteMissingNames({ args, ci, env, note }: CommandContext, isDryRun: boolean): void {
  if (ci.system !== null) return;
  if (isDryRun && args.text('pipeline') === undefined) note('The pipeline is missing: the upload needs --pipeline.');
  if (args.text('run-url') !== undefined || (env[ID_TOKEN] ?? '').trim() !== '') return;
  note(
    'The upload names no run, so a repetition with other results does not replace it. Use --run-url with an address for each run.',
  );
}

/** Collects the fields of the upload from the options, else from CI. */
function describeFields(context: CommandContext, version: string, defaultPipeline?: string): FormFields {
  const { args, ci } = context;
  const pipeline = args.text('pipeline') ?? ci.pipeline ?? defaultPipeline;
  if (pipeline === undefined)
    throw usageError('The pipeline is missing. Name what produced the reports, for example --pipeline tests.');
  const commit = args.text('commit') ?? ci.commit;
  const job = args.text('job') ?? ci.job;
  const runUrl = args.text('run-url') ?? ci.runUrl;
  if (ci.system !== null && runUrl === undefined) {
    throw usageError(
      `${ci.system} does not name the page of the run. Use --run-url with one address for all jobs of it.`,
    );
  }
  const named = {
    repo: getRepository(context),
    version,
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
  return Object.fromEntries(given);
}

async function send(
  context: CommandContext,
  client: ServiceClient,
  fields: FormFields,
  files: readonly SelectedFile[],
): Promise<CommandResult> {
  const { note, progress } = context;
  const answer = await post(client, fields, files, progress);
  const known = answer.status === BAD_REQUEST ? await knownFields(client, fields) : fields;
  const unknown = Object.keys(fields).filter((name) => !Object.hasOwn(known, name));
  if (unknown.length === 0) return toResult(context, answer, fields, files);
  note(`This Shipgate is older, and does not know ${unknown.join(' and ')}. The upload is sent without.`);
  return toResult(context, await post(client, known, files, progress), known, files);
}

/** Returns only the fields that the service knows. Returns all fields if the service does not list the fields that it knows. */
async function knownFields(client: ServiceClient, fields: FormFields): Promise<FormFields> {
  const path = '/api/config/ci';
  const { json } = await client.send({ method: 'GET', path, answerMs: SHORT_ANSWER_MS, budgetMs: SHORT_ANSWER_MS });
  const { upload_fields: known } = (json ?? {}) as { readonly upload_fields?: unknown };
  if (!Array.isArray(known)) return fields;
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !NEWER_FIELDS.has(name) || known.includes(name)));
}

async function post(
  client: ServiceClient,
  fields: FormFields,
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
function idempotencyKey(fields: FormFields, files: readonly SelectedFile[]): string {
  const content = canonicalJson({ fields, files: files.map((file) => [file.name, file.sha256]) });
  return `cli-${sha256(content)}`;
}

function toResult(
  context: CommandContext,
  answer: ServiceAnswer,
  fields: FormFields,
  files: readonly SelectedFile[],
): CommandResult {
  const { status, json, requestId } = answer;
  const id = (json as { readonly evidenceId?: unknown } | null | undefined)?.evidenceId;
  if ((status !== 200 && status !== 201) || typeof id !== 'string') {
    const error = answerError('change', answer);
    throw new CommandError(error.exit, error.outcome, error.message, {
      ...error.members,
      ...toMembers(fields, files),
    });
  }
  const line =
    status === 201
      ? `Stored: ${plainText(id)}, ${count(files)} for ${plainText(String(fields['version']))}`
      : `Was stored before: ${plainText(id)}`;
  const outcome = status === 201 ? 'kept' : 'repeated';
  const receipt = readReceipt(json);
  const isRequired = requiresEffect(context);
  const warning = describeWarning(receipt, isRequired);
  if (warning !== null) context.note(warning);
  return {
    exit: toExitCode(receipt, isRequired),
    outcome,
    lines: [line, ...describeReceipt(receipt)],
    members: {
      evidence_id: id,
      request_id: requestId,
      effect: receipt.effect,
      message: receipt.message,
      commit_sha: receipt.commitSha,
      commit_source: receipt.commitSource,
      candidate_sha: receipt.candidateSha,
      release_url: receipt.releaseUrl,
      items: receipt.items,
      ...toMembers(fields, files),
    },
  };
}

/** Whether `--require-effect` or its variable is set. The variable is for templates, whose inputs are variables. */
function requiresEffect({ args, env }: CommandContext): boolean {
  const given = env[REQUIRE_EFFECT] ?? '';
  if (!['', 'true', 'false'].includes(given)) throw usageError(`${REQUIRE_EFFECT} must be true or false.`);
  return args.flag('require-effect') || given === 'true';
}

const toMembers = (fields: FormFields, files: readonly SelectedFile[]): Readonly<Record<string, unknown>> => ({
  fields,
  files: files.map(({ name, size, sha256: digest }) => ({
    name,
    size,
    sha256: digest,
    // Without an option, the service detects the format.
    format: fields['format'] ?? null,
  })),
});

/** The result of a call that uploads nothing, so that no verdict rests on it. */
function nothing(
  context: CommandContext,
  outcome: string,
  files: readonly SelectedFile[],
  line: string,
): CommandResult {
  const isRequired = requiresEffect(context);
  return {
    exit: isRequired ? EXIT.no : EXIT.yes,
    outcome,
    lines: [line, ...(isRequired ? ['An effect is required, and there is none.'] : [])],
    members: { evidence_id: null, effect: null, items: [], ...toMembers({}, files) },
  };
}

const count = (files: readonly SelectedFile[]): string => (files.length === 1 ? '1 file' : `${files.length} files`);
