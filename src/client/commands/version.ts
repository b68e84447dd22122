import { CLIENT_VERSION } from '../client-version.js';
import { type CommandResult, EXIT } from '../command-result.js';

export const version = (): Promise<CommandResult> =>
  Promise.resolve({
    exit: EXIT.yes,
    outcome: 'version',
    members: { version: CLIENT_VERSION, node: process.versions.node },
    lines: [`shipgate ${CLIENT_VERSION} (Node ${process.versions.node})`],
  });
