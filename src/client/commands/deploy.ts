import { type CommandResult, usageError } from '../command-result.js';
import { plainText } from '../plain-text.js';
import { ServiceClient } from '../service/service-client.js';
import type { CommandContext } from './command-context.js';
import { type FinalStatus, getEnvironment, newDeploymentId, reportEnd, startDeployment } from './deployment-report.js';
import { type EndedCommand, runCommand, SIGNALS } from './run-command.js';

/** Runs the command only if the gate is open, and reports its start and its end. Ends with the exit code of the command. */
export async function deploy(context: CommandContext): Promise<CommandResult> {
  const { args, env, note, maskToken } = context;
  const { command } = args;
  if (args.operands.length > 0 || command === null || (command[0] ?? '') === '') {
    throw usageError(
      'Write the command after --, for example: shipgate deploy --environment production -- ./deploy.sh',
    );
  }
  const client = new ServiceClient(args.text('url'), env, note, { maskToken });
  try {
    getEnvironment(context);
    const started = await startDeployment(context, client, args.text('id') ?? newDeploymentId());
    if (!started.isStarted) return started.result;
    const { deployment, members } = started;
    note(`The gate is open: deployment ${plainText(deployment.deployment)} to ${plainText(deployment.environment)}.`);
    const ended = await runCommand(command);
    if (ended.problem !== null) note(`${plainText(command[0] ?? '')} was not run: ${ended.problem}.`);
    const status = toStatus(ended);
    // A second signal ends the report and not the answer.
    for (const signal of SIGNALS) process.once(signal, () => process.exit(ended.code));
    const isReported = await reportEnd(client, deployment, status, note);
    return {
      exit: ended.code,
      outcome: status,
      members: { ...members, command_exit: ended.code, reported: isReported },
      // Its output is that of the command.
      lines: [],
    };
  } finally {
    await client.close();
  }
}

/** A command that was told to end and did not succeed was cancelled. One that still succeeded has deployed. */
const toStatus = ({ code, wasInterrupted }: EndedCommand): FinalStatus => {
  if (code === 0) return 'succeeded';
  return wasInterrupted ? 'cancelled' : 'failed';
};
