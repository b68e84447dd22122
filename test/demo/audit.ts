import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { runShipgate } from './command-line.js';
import type { Narrator } from './narrator.js';
import type { DemoEnvironment } from './demo-environment.js';
import { DemoUser } from './demo-user.js';

interface QualityBody {
  readonly results: readonly {
    readonly milestoneId: string;
    readonly scorecard: { readonly score: number | null; readonly grade: string | null };
  }[];
}

/** Checks a shipped release as an independent auditor does. Returns the number of failed checks. */
export async function audit(
  { baseUrl, accounts }: DemoEnvironment,
  folder: string,
  narrator: Narrator,
): Promise<number> {
  narrator.chapter('Afterwards: an independent auditor can verify what was shipped');
  const visitor = await DemoUser.signIn(baseUrl, accounts.owner.login);
  const { results } = await visitor.get<QualityBody>('/api/quality?repo=payments&milestone=v1.4.0');
  const [release] = results;
  if (!release) throw new Error('the quality of v1.4.0 is not listed');
  const { score, grade } = release.scorecard;
  narrator.does(`The scorecard of what was shipped: ${grade ?? 'no grade'}, ${score ?? 'no score'} of 100.`);

  const pack = await visitor.download(`/api/milestones/${release.milestoneId}/audit-pack`);
  const file = path.join(folder, 'payments-v1.4.0.zip');
  writeFileSync(file, pack);
  const keys = path.join(folder, 'shipgate-keys.json');
  writeFileSync(keys, await visitor.download('/.well-known/shipgate-keys.json'));
  const intact = await verify(file, keys);
  narrator.does(`An audit pack of ${Math.ceil(pack.length / 1_000)} kB is in .demo/${path.basename(file)}:`);
  for (const line of intact.lines) narrator.detail(line);
  const changed = path.join(folder, 'changed.zip');
  const middle = pack.length >> 1;
  pack.writeUInt8((pack[middle] ?? 0) ^ 1, middle);
  writeFileSync(changed, pack);
  const other = await verify(changed, keys);
  const isNamed = other.lines.some((line) => line.includes(`offset ${middle}`));

  const steps = [
    ['the pack is verified without a network', intact.holds],
    [`one bit is changed, at offset ${middle}, and is named`, !other.holds && isNamed],
  ] as const;
  for (const [what, isSo] of steps) {
    if (isSo) narrator.passes(what);
    else narrator.fails(what);
  }
  return steps.filter(([, isSo]) => !isSo).length;
}

async function verify(
  file: string,
  keys: string,
): Promise<{ readonly holds: boolean; readonly lines: readonly string[] }> {
  const { code, stdout, stderr } = await runShipgate(['verify-pack', file, '--keys', keys]);
  return { holds: code === 0, lines: `${stdout}${stderr}`.trimEnd().split('\n') };
}
