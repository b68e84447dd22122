import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { CountedWork } from '../../../test/support/counted-work.js';

const work = new CountedWork('/src/http/body/');
let parse: (header: string) => void;

beforeAll(async () => {
  await work.start();
  const { MultipartParser } = await import('./multipart-form.js');
  parse = (header) => {
    const parser = new MultipartParser('b', { parts: 1, partBytes: 1 });
    parser.write(Buffer.from(`--b\r\n${header}\r\n\r\n\r\n--b--\r\n`));
  };
  parse('Content-Disposition: form-data; name="a"');
});
afterAll(() => work.stop());

it('reads a header in time linear in its parameters and white space', async () => {
  const count = (size: number): Promise<number> => {
    const parameters = Array.from({ length: size }, (_, n) => `;p${n}=`).join('');
    return work.count(() => parse(`Content-Disposition: form-data;name=a${parameters}${' '.repeat(4 * size)};z=`));
  };
  const [once, twice] = [await count(500), await count(1_000)];
  expect(twice / once).toBeLessThan(2.1);
});
