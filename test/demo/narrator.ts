import { styleText } from 'node:util';

type Style = Parameters<typeof styleText>[0];

/** Prints what the demo does, unless it is silent. Colors are for terminals only. */
export class Narrator {
  private readonly isTerminal = process.stdout.isTTY;
  private chapterNumber = 0;

  constructor(private readonly isSilent = false) {}

  title(text: string): void {
    this.line('');
    this.line(this.style('bold', text));
  }

  chapter(text: string): void {
    this.chapterNumber += 1;
    this.line('');
    this.line(this.style(['bold', 'cyan'], `${this.chapterNumber}. ${text}`));
  }

  does(text: string): void {
    this.line(`   ${text}`);
  }

  detail(text: string): void {
    this.line(this.style('dim', `     ${text}`));
  }

  passes(text: string): void {
    this.line(`   ${this.style('green', this.isTerminal ? '✔' : 'ok')} ${text}`);
  }

  fails(text: string): void {
    this.line(`   ${this.style('red', this.isTerminal ? '✘' : 'WRONG')} ${text}`);
  }

  /** Prints what happens at the moment. Only on a terminal, where the next line replaces it. */
  progress(text: string): void {
    if (this.isTerminal && !this.isSilent) process.stdout.write(`\r\u001B[2K${this.style('dim', `   … ${text}`)}`);
  }

  private line(text: string): void {
    if (this.isSilent) return;
    if (this.isTerminal) process.stdout.write('\r\u001B[2K');
    process.stdout.write(`${text}\n`);
  }

  private style(style: Style, text: string): string {
    return this.isTerminal ? styleText(style, text) : text;
  }
}
