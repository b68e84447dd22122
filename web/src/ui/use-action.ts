import { useMutation, useQueryClient, type QueryKey } from '@tanstack/react-query';
import { dismissNotice, notify, type NoticeLink } from './notices.js';

interface Action<Input, Output> {
  /** Sends the request. It is never repeated automatically. */
  readonly run: (input: Input) => Promise<Output>;
  /** The queries that the action changes. They are read again before the action counts as done. */
  readonly changes: readonly QueryKey[];
  /** Returns the message for the user afterwards. */
  readonly done: (output: Output, input: Input) => string;
  /** Returns the inverse, if the action has one. */
  readonly undo?: (output: Output, input: Input) => (() => Promise<unknown>) | null;
  /** Returns the link to the object that the action has created, if it has created one. */
  readonly link?: (output: Output) => NoticeLink;
  readonly onDone?: (output: Output) => void;
}

/** An action of the user. Nothing looks done before the service has confirmed it; a second call while it runs is ignored. */
export function useAction<Input = void, Output = unknown>(action: Action<Input, Output>) {
  const client = useQueryClient();
  // The message and the undo belong to the state in which the user acted, and that state may be read again before the action is done.
  const mutation = useMutation<Output, Error, { readonly input: Input; readonly started: Action<Input, Output> }>({
    mutationFn: ({ input, started }) => started.run(input),
    onSuccess: async (output, { input, started }) => {
      const { changes, done, undo, link, onDone } = started;
      const refresh = (): Promise<unknown> =>
        Promise.all(changes.map((queryKey) => client.invalidateQueries({ queryKey: [...queryKey] })));
      // The action is done even if the reads fail.
      await refresh().catch(() => undefined);
      const inverse = undo?.(output, input) ?? null;
      notify(done(output, input), {
        link: link?.(output) ?? null,
        undo:
          inverse &&
          (async () => {
            await inverse();
            await refresh();
          }),
      });
      onDone?.(output);
    },
  });
  return {
    start: (input: Input): void => {
      if (mutation.isPending) return;
      dismissNotice();
      mutation.mutate({ input, started: action });
    },
    isRunning: mutation.isPending,
    error: mutation.error,
    reset: mutation.reset,
  };
}
