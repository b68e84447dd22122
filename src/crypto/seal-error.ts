/** A secret that cannot be opened; its message never repeats a part of it. */
export class SealError extends Error {
  override readonly name = 'SealError';

  constructor(reason: string) {
    super(`A sealed secret cannot be opened: it ${reason}.`);
  }
}
