const HEAD_END = '\r\n\r\n';
const LENGTH = /\r\ncontent-length: (\d+)\r\n/i;

/** Cuts what arrives on a connection into answers that state their length, as every answer of these servers does. */
export class AnswerReader {
  #received = '';

  /** The status line and the body of the answer, once it is whole; null before. */
  read(arrived: string): { readonly status: string; readonly body: string } | null {
    this.#received += arrived;
    const head = this.#received.indexOf(HEAD_END);
    if (head === -1) return null;
    const length = LENGTH.exec(this.#received)?.[1];
    if (length === undefined) throw new Error(`An answer without its length: ${this.#received}`);
    const end = head + HEAD_END.length + Number(length);
    if (this.#received.length < end) return null;
    if (this.#received.length > end) throw new Error(`More than one answer to one request: ${this.#received}`);
    const answer = this.#received;
    this.#received = '';
    return { status: answer.slice(0, answer.indexOf('\r\n')), body: answer.slice(head + HEAD_END.length) };
  }
}
