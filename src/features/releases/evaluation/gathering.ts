/** How long changes of the evidence are gathered before the pull request follows them. */
export class Gathering {
  constructor(readonly seconds: number = 5) {}
}
