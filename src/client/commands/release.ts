import { type CommandError, type CommandResult, EXIT, unknownError, usageError } from '../command-result.js';
import { userLogin } from '../login-file.js';
import { plainText } from '../plain-text.js';
import { answerError, ServiceClient } from '../service/service-client.js';
import { approvalLines } from './approval-lines.js';
import { describeReason } from './check-gate.js';
import { type CommandContext, getRepository } from './command-context.js';

const ANSWER_MS = 30_000;
const BUDGET_MS = 60_000;
const PAGE_SIZE = 50;
const SHORT_SHA = 7;
/** The options of the list of the workspace, which are query parameters by the same name. */
const OF_WORKSPACE = ['outcome', 'sort'] as const;
const LIST_OPTIONS = ['search', ...OF_WORKSPACE] as const;
type Json = Readonly<Record<string, unknown>>;

/** A release as the lists of the service show it. */
interface ListedRelease {
  readonly id: string;
  readonly repo: string;
  readonly version: string;
  readonly stage: string;
  /** Null if the release is shipped or cancelled. */
  readonly outcome: string | null;
  readonly candidate_sha: string | null;
}

/** Lists, shows and starts releases in the name of a user, and shows how they were approved. */
export async function release(context: CommandContext): Promise<CommandResult> {
  const { args, env, note } = context;
  const [action, version, ...rest] = args.operands;
  const isList = action === 'list' && version === undefined;
  const act = ACTIONS.get(action ?? '');
  const isOne = act !== undefined && version !== undefined && rest.length === 0;
  if (!isList && !isOne) {
    throw usageError('Use `shipgate release list`, or `show VERSION`, `approval VERSION` or `start VERSION`.');
  }
  const { url, key } = userLogin(args.text('url'), env);
  const client = new ServiceClient(url, env, note, { personalKey: key });
  try {
    if (act === undefined || version === undefined) return await list(context, client);
    for (const option of LIST_OPTIONS) {
      if (args.text(option) !== undefined) throw usageError(`--${option} is for \`shipgate release list\`.`);
    }
    const found = await find(client, getRepository(context), version);
    return await act(client, found);
  } finally {
    await client.close();
  }
}

/** The active releases of the workspace, or with `--repo` all releases of a repository, newest version first. */
async function list({ args }: CommandContext, client: ServiceClient): Promise<CommandResult> {
  const repo = args.text('repo');
  for (const option of OF_WORKSPACE) {
    if (repo !== undefined && args.text(option) !== undefined) throw usageError(`Use --${option} without --repo.`);
  }
  const given = LIST_OPTIONS.flatMap((option) => {
    const value = args.text(option);
    return value === undefined ? [] : [[option, value] as const];
  });
  const path = repo === undefined ? '/api/dashboard' : toPath(repo);
  const releases = await readPages(client, path, Object.fromEntries(given));
  const widths = [0, 1, 2].map((at) => Math.max(...releases.map((one) => toColumns(one)[at]?.length ?? 0)));
  return {
    exit: EXIT.yes,
    outcome: 'listed',
    members: { releases },
    lines:
      releases.length === 0
        ? ['No release matches.']
        : releases.map((one) =>
            toColumns(one)
              .map((text, at) => text.padEnd(widths[at] ?? 0))
              .join('  ')
              .trimEnd(),
          ),
  };
}

const toColumns = ({ repo, version, stage, outcome }: ListedRelease): readonly string[] => [
  repo,
  version,
  stage,
  outcome ?? '',
];

async function show(client: ServiceClient, { id }: ListedRelease): Promise<CommandResult> {
  const details = await read(client, 'GET', `/api/milestones/${id}`);
  const found = toRelease(details['release']);
  if (found === null || !Array.isArray(details['stages'])) throw notShipgate();
  const stages = (details['stages'] as readonly Json[]).map(toStage);
  const { repo, version, stage, outcome, candidate_sha: sha } = found;
  const state = [stage, ...(outcome === null ? [] : [outcome])].join(', ');
  return {
    exit: EXIT.yes,
    outcome: 'found',
    members: { release: found, stages },
    lines: [
      `${version} of ${repo} is in ${state}${sha === null ? '' : `; candidate ${sha.slice(0, SHORT_SHA)}`}`,
      ...stages.flatMap(({ stage: name, standing, met, unmet, unknown }) => [
        `${name} (${standing})`,
        ...met.map(({ detail }) => `  met      ${detail}`),
        ...unmet.map((condition) => `  unmet    ${condition.actor}: ${describeReason(condition)}`),
        ...unknown.map(({ detail }) => `  unknown  ${detail}`),
      ]),
    ],
  };
}

/** Shows how a release was approved, for an auditor. The document has the record of the service unchanged. */
async function approval(client: ServiceClient, { id }: ListedRelease): Promise<CommandResult> {
  const record = await read(client, 'GET', `/api/milestones/${id}/approval-record`);
  const found = toRelease(record['release']);
  if (found === null || record['decision'] === undefined) throw notShipgate();
  return {
    exit: EXIT.yes,
    outcome: 'found',
    members: { release: found, record },
    lines: [`${found.version} of ${found.repo} is in ${found.stage}`, ...approvalLines(record)],
  };
}

/** Starting a release again changes nothing, so the request can be repeated. */
async function start(client: ServiceClient, { id }: ListedRelease): Promise<CommandResult> {
  const started = toRelease(await read(client, 'POST', `/api/milestones/${id}/start`));
  if (started === null) throw notShipgate();
  return {
    exit: EXIT.yes,
    outcome: 'started',
    members: { release: started },
    lines: [`${started.version} of ${started.repo} is started. It is in ${started.stage}.`],
  };
}

/** What is done with one release. */
const ACTIONS: ReadonlyMap<string, (client: ServiceClient, found: ListedRelease) => Promise<CommandResult>> = new Map([
  ['show', show],
  ['approval', approval],
  ['start', start],
]);

/** Returns the release of a repository by its version. Ends as for an unknown repository if there is none that the user can read. */
async function find(client: ServiceClient, repo: string, version: string): Promise<ListedRelease> {
  const releases = await readPages(client, toPath(repo), { search: version });
  const found = releases.find((one) => one.version === version);
  if (found) return found;
  const sentence = `${plainText(repo)} has no release ${plainText(version)}, or you cannot read it.`;
  throw unknownError(sentence);
}

async function readPages(
  client: ServiceClient,
  path: string,
  filter: Readonly<Record<string, string>>,
): Promise<readonly ListedRelease[]> {
  const all: ListedRelease[] = [];
  for (let [page, pages] = [1, 1]; page <= pages; page += 1) {
    const query = new URLSearchParams({ ...filter, page: String(page), pageSize: String(PAGE_SIZE) });
    const { releases, milestones, pagination } = await read(client, 'GET', `${path}?${query.toString()}`);
    const rows = releases ?? milestones;
    if (!Array.isArray(rows)) throw notShipgate();
    all.push(...rows.map(toRelease).filter((one) => one !== null));
    const last = (pagination as Json | undefined)?.['pages'];
    pages = typeof last === 'number' ? last : page;
  }
  return all;
}

async function read(client: ServiceClient, method: 'GET' | 'POST', path: string): Promise<Json> {
  const answer = await client.send({ method, path, answerMs: ANSWER_MS, budgetMs: BUDGET_MS });
  const { status, json } = answer;
  if (status !== 200 || typeof json !== 'object' || json === null) {
    throw answerError(method === 'POST' ? 'change' : 'question', answer);
  }
  return json as Json;
}

function toPath(repo: string): string {
  const [owner, name, ...rest] = repo.split('/');
  if (!owner || !name || rest.length > 0) throw usageError('--repo must be OWNER/NAME.');
  return `/api/milestones/${encodeURIComponent(owner)}/${encodeURIComponent(name)}`;
}

function toRelease(value: unknown): ListedRelease | null {
  if (typeof value !== 'object' || value === null) return null;
  const row = value as Json;
  const text = (name: string): string | null => {
    const member = row[name];
    return typeof member === 'string' ? plainText(member) : null;
  };
  const [id, org, repo, version, stage] = [
    text('milestoneId'),
    text('org'),
    text('repo'),
    text('version'),
    text('stage'),
  ];
  if (id === null || org === null || repo === null || version === null || stage === null) return null;
  return {
    id,
    repo: `${org}/${repo}`,
    version,
    stage,
    outcome: text('outcome'),
    candidate_sha: text('candidateSha'),
  };
}

interface ReleaseCondition {
  readonly code: string;
  readonly actor: string;
  readonly detail: string;
  readonly source?: string;
}

interface ReleaseStage {
  readonly stage: string;
  readonly standing: string;
  readonly met: readonly ReleaseCondition[];
  readonly unmet: readonly ReleaseCondition[];
  readonly unknown: readonly ReleaseCondition[];
}

function toStage({ stage, standing, met, unmet, unknown }: Json): ReleaseStage {
  const text = (value: unknown): string => (typeof value === 'string' ? plainText(value) : '');
  const conditions = (value: unknown): readonly ReleaseCondition[] =>
    (Array.isArray(value) ? (value as readonly Json[]) : []).map(({ code, actor, detail, source }) => ({
      code: text(code),
      actor: text(actor),
      detail: text(detail),
      ...(typeof source === 'string' && { source: text(source) }),
    }));
  return {
    stage: text(stage),
    standing: text(standing),
    met: conditions(met),
    unmet: conditions(unmet),
    unknown: conditions(unknown),
  };
}

const notShipgate = (): CommandError =>
  unknownError('The answer is not one that this version of the tool understands.');
