import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Signature } from './git-object.js';
import { GitRepository } from './git-repository.js';
import { mergeLines } from './line-merge.js';

const at = (second: number): Signature => ({
  name: 'Ada Example',
  email: 'ada@example.test',
  date: new Date(1_700_000_000_000 + second * 1000),
});

describe('git objects', () => {
  let folder: string;
  const git = (args: string[], input?: string | Buffer) =>
    execFileSync('git', args, {
      cwd: folder,
      input: input ?? '',
      env: {
        ...process.env,
        GIT_AUTHOR_NAME: at(0).name,
        GIT_AUTHOR_EMAIL: at(0).email,
        GIT_AUTHOR_DATE: '1700000000 +0000',
        GIT_COMMITTER_NAME: at(0).name,
        GIT_COMMITTER_EMAIL: at(0).email,
        GIT_COMMITTER_DATE: '1700000000 +0000',
      },
    })
      .toString()
      .trim();

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'sim-git-'));
    git(['init', '-q']);
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it.each([Buffer.from(''), Buffer.from('hello\n'), Buffer.from([0, 255, 10, 13]), Buffer.from('ünïcode')])(
    'has for a blob the SHA that git computes',
    (content) => {
      expect(new GitRepository().store.putBlob(content)).toBe(git(['hash-object', '-w', '--stdin'], content));
    },
  );

  it('has for trees and commits the SHAs that git computes, with folders sorted as git sorts them', () => {
    const repository = new GitRepository();
    const edits = { 'a.txt': '1\n', 'a/b.txt': '2\n', 'a-b': '3\n', 'a/deep/er/c': '4', z: '5\n' };
    for (const [path, content] of Object.entries(edits)) {
      const blob = git(['hash-object', '-w', '--stdin'], content);
      git(['update-index', '--add', '--cacheinfo', `100644,${blob},${path}`]);
    }
    const tree = git(['write-tree']);
    const message = 'Add files\n\nWith a body.';
    const root = repository.commitEdits([], edits, message, at(0));
    expect(repository.store.commit(root).tree).toBe(tree);
    expect(root).toBe(git(['commit-tree', tree], message));
    const child = repository.commitEdits([root], {}, 'Next', at(0));
    expect(child).toBe(git(['commit-tree', tree, '-p', root], 'Next'));
  });

  it('has no folder without a file', () => {
    const repository = new GitRepository();
    const root = repository.commitEdits([], { 'a/b': '1', c: '2' }, 'root', at(0));
    const child = repository.commitEdits([root], { 'a/b': null }, 'remove', at(1));
    expect(repository.store.tree(repository.store.commit(child).tree).map(({ name }) => name)).toEqual(['c']);
  });

  const base = 'one\ntwo\nthree\nfour\nfive\nsix\n';
  it.each([
    ['changes apart', base.replace('one', '1'), base.replace('six', '6')],
    ['the same change twice', base.replace('one', '1'), base.replace('one', '1')],
    ['an insertion and a removal', `zero\n${base}`, base.replace('five\n', '')],
    ['a missing newline at the end', base.trimEnd(), base.replace('one', '1')],
    ['two changes of one line', base.replace('two', '2'), base.replace('two', 'II')],
    ['changes of adjoining lines', base.replace('two', '2'), base.replace('three', '3')],
  ])('merges lines as git merge-file does: %s', (_, ours, theirs) => {
    for (const [name, text] of Object.entries({ ours, base, theirs })) writeFileSync(join(folder, name), text);
    let expected: string | null;
    try {
      const output = execFileSync('git', ['merge-file', '-p', '-q', 'ours', 'base', 'theirs'], { cwd: folder });
      expected = output.toString();
    } catch {
      expected = null;
    }
    expect(mergeLines(base, ours, theirs)).toBe(expected);
  });
});

describe('a repository', () => {
  const fork = () => {
    const repository = new GitRepository();
    const root = repository.commitEdits([], { shared: 'a\nb\nc\nd\ne\n', kept: 'k' }, 'root', at(0));
    const ours = repository.commitEdits([root], { shared: 'A\nb\nc\nd\ne\n' }, 'ours', at(1));
    const theirs = repository.commitEdits([root], { shared: 'a\nb\nc\nd\nE\n', added: 'n' }, 'theirs', at(2));
    return { repository, root, ours, theirs };
  };

  it('finds the merge base and merges both sides', () => {
    const { repository, root, ours, theirs } = fork();
    expect(repository.mergeBase(ours, theirs)).toBe(root);
    const merge = repository.merge(ours, theirs);
    if (!merge.clean) throw new Error('expected a clean merge');
    const shared = merge.files.get('shared');
    expect(repository.store.blob(shared?.sha ?? '').toString()).toBe('A\nb\nc\nd\nE\n');
    expect([...merge.files.keys()].sort()).toEqual(['added', 'kept', 'shared']);
  });

  it('names the path if both sides changed one line, or one removed what the other changed', () => {
    const { repository, root, ours } = fork();
    const other = repository.commitEdits([root], { shared: 'X\nb\nc\nd\ne\n' }, 'other', at(3));
    const removed = repository.commitEdits([root], { shared: null }, 'removed', at(3));
    expect(repository.merge(ours, other)).toEqual({ clean: false, conflicts: ['shared'] });
    expect(repository.merge(ours, removed)).toEqual({ clean: false, conflicts: ['shared'] });
  });

  it('compares from the merge base, and lists the commits that only head has, oldest first', () => {
    const { repository, root, ours, theirs } = fork();
    const last = repository.commitEdits([theirs], { added: null }, 'last', at(4));
    expect(repository.compare(ours, last)).toMatchObject({
      status: 'diverged',
      mergeBase: root,
      behindBy: 1,
      commits: [theirs, last],
      files: [{ path: 'shared', status: 'modified' }],
    });
    expect(repository.compare(root, ours)?.status).toBe('ahead');
    expect(repository.compare(ours, root)?.status).toBe('behind');
    expect(repository.compare(ours, ours)?.status).toBe('identical');
  });

  it('lists history newest first and no parent before its child, even if clocks differ', () => {
    const { repository, root, ours, theirs } = fork();
    const merged = repository.commitEdits([ours, theirs], {}, 'merge', at(-50));
    expect(repository.ancestry.history(merged)).toEqual([merged, theirs, ours, root]);
    expect(repository.ancestry.isAncestor(theirs, merged)).toBe(true);
    expect(repository.ancestry.isAncestor(merged, theirs)).toBe(false);
    expect(repository.mergeBase(merged, theirs)).toBe(theirs);
  });
});
