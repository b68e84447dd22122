import { type CommandResult, EXIT, usageError } from '../command-result.js';
import { plainText } from '../plain-text.js';
import { ServiceClient } from '../service/service-client.js';
import { AUTO, type CommandContext, getRepository, parseCommit, parseDigest } from './command-context.js';
import {
  assertStored,
  FINAL_STATUSES,
  getEnvironment,
  jobDeploymentId,
  newDeploymentId,
  report,
  type ReportedDeployment,
  startDeployment,
} from './deployment-report.js';

/** Reports the start or the end of a deployment that another step of the pipeline makes. */
export async function deployment(context: CommandContext): Promise<CommandResult> {
  const { args, env, note, maskToken } = context;
  const [action, ...rest] = args.operands;
  if ((action !== 'start' && action !== 'finish') || rest.length > 0) {
    throw usageError('Use `shipgate deployment start` or `shipgate deployment finish --status STATUS`.');
  }
  const client = new ServiceClient(args.text('url'), env, note, { maskToken });
  try {
    return await (action === 'start' ? start(context, client) : finish(context, client));
  } finally {
    await client.close();
  }
}

async function start(context: CommandContext, client: ServiceClient): Promise<CommandResult> {
  const { args, ci } = context;
  if (args.text('status') !== undefined) throw usageError('--status is for `shipgate deployment finish`.');
  const id = args.text('id') ?? jobDeploymentId(ci, getEnvironment(context)) ?? newDeploymentId();
  const started = await startDeployment(context, client, id);
  if (!started.isStarted) return started.result;
  return { exit: EXIT.yes, outcome: 'started', members: started.members, lines: [id] };
}

async function finish(context: CommandContext, client: ServiceClient): Promise<CommandResult> {
  const { args, ci, env } = context;
  const given = args.text('status');
  const status = FINAL_STATUSES.find((one) => one === given);
  if (status === undefined) throw usageError(`--status must be ${FINAL_STATUSES.join(', ')}.`);
  const environment = getEnvironment(context);
  const id = args.text('id') ?? jobDeploymentId(ci, environment);
  if (id === undefined) throw usageError('The deployment is missing. Use --id with what `deployment start` printed.');
  const sha = args.flag('any-sha') ? undefined : (args.text('sha') ?? ci.commit);
  const digest = args.text('digest');
  // The release of a branch may be another one after the deployment, so only one that is named is sent.
  const version = args.text('release') ?? env['SHIPGATE_VERSION'];
  const named = {
    ...(sha !== undefined && { commit_sha: parseCommit(sha, '--sha') }),
    ...(digest !== undefined && { digest: parseDigest(digest, '--digest') }),
    ...(version !== undefined && version.trim() !== '' && version !== AUTO && { version }),
  };
  if (Object.keys(named).length === 0) {
    throw usageError('What was deployed is missing. Use --sha, --digest or --release with a version.');
  }
  const runUrl = args.text('run-url') ?? ci.runUrl;
  const deployed: ReportedDeployment = {
    repo: getRepository(context),
    environment,
    deployment: id,
    ...named,
    ...(runUrl !== undefined && { run_url: runUrl }),
  };
  const answer = await report(client, deployed, status);
  assertStored(answer);
  const kind = (answer.json as { readonly kind?: unknown } | null)?.kind;
  return {
    exit: EXIT.yes,
    outcome: status,
    members: { deployment: id, kind: typeof kind === 'string' ? kind : null, request_id: answer.requestId },
    lines: [`Stored: the deployment ${plainText(id)} to ${plainText(environment)} ${STATED[status]}`],
  };
}

const STATED = { succeeded: 'succeeded.', failed: 'failed.', cancelled: 'was cancelled.' } as const;
