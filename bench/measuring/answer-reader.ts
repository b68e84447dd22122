const HEAD_END = '\r\n\r\n';
const LENGTH = /\r\ncontent-length: (\d+)\r\n/i;

/** Splits the data of a connection into answers with a `content-length` header, which every answer of these servers has. */
export class AnswerReader {
  #received = '';

  /** Returns the status line and the body if the answer is complete, otherwise null. */
  read(arrived: string): { readonly status: string; readonly body: string } | null {
    this.#received += arrived;
    const head = this.#received.indexOf(HEAD_END);
    if (head === -1) return null;
    const length = LENGTH.exec(this.#received)?.[1];
    if (length === undefined) throw new Error(`The answer has no length: ${this.#received}`);
    const end = head + HEAD_END.length + Number(length);
    if (this.#received.length < end) return null;
    if (this.#received.length > end) throw new Error(`There is more than one answer to a request: ${this.#received}`);
    const answer = this.#received;
    this.#received = '';
    return { status: answer.slice(0, answer.indexOf('\r\n')), body: answer.slice(head + HEAD_END.length) };
  }
}
