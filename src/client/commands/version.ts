import { type CommandResult, EXIT } from '../command-result.js';

declare const SHIPGATE_VERSION: string | undefined;

/** The version of the bundle. The build writes it; unbundled code has none. */
export const CLIENT_VERSION = typeof SHIPGATE_VERSION === 'string' ? SHIPGATE_VERSION : '0.0.0';

export const version = (): Promise<CommandResult> =>
  Promise.resolve({
    exit: EXIT.yes,
    outcome: 'version',
    members: { version: CLIENT_VERSION, node: process.versions.node },
    lines: [`shipgate ${CLIENT_VERSION} (Node ${process.versions.node})`],
  });
