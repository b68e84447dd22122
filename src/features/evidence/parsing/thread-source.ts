/** What the threads that read reports run, and how Node is to load it; as it was built, unless it is said otherwise. */
export class ThreadSource {
  constructor(
    readonly url = new URL('./report-parsing.thread.js', import.meta.url),
    readonly execArgv: readonly string[] = [],
  ) {}
}
