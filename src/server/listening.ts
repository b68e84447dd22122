import { createServer } from 'node:net';

/** EX_UNAVAILABLE of sysexits.h: another start may succeed. */
const UNAVAILABLE = 69;

/** An address on which the service cannot listen. The message is one sentence for the operator. */
export class ListenError extends Error {
  override readonly name = 'ListenError';
  readonly exitCode = UNAVAILABLE;
}

const PROBLEMS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'Another process uses port PORT of HOST: stop it, or set PORT to a free port.',
  EACCES: 'This user may not listen on port PORT of HOST: set PORT to 1024 or more.',
  EADDRNOTAVAIL: 'This machine has no address HOST: set HOST to one of its addresses.',
};

/** Returns the error of a failed `listen` in the words of an operator. Others are returned unchanged. */
export function explainListenError(
  error: unknown,
  { host, port }: { readonly host: string; readonly port: number },
): unknown {
  const problem = PROBLEMS[(error as NodeJS.ErrnoException).code ?? ''];
  if (problem === undefined) return error;
  return new ListenError(problem.replace(/PORT(?= of)/, String(port)).replace(/HOST(?=:)/, host), { cause: error });
}

/** Throws a `ListenError` if the address cannot be used, so that a start ends before it has started a database. */
export async function assertCanListen(address: { readonly host: string; readonly port: number }): Promise<void> {
  if (address.port === 0) return;
  const server = createServer();
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen({ ...address, exclusive: true }, resolve);
    });
  } catch (error) {
    throw explainListenError(error, address);
  }
  await new Promise((resolve) => server.close(resolve));
}
