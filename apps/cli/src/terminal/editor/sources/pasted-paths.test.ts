import { expect, test } from 'vitest';

import { imagePathsIn } from './pasted-paths.ts';

const paths = (text: string): readonly string[] => imagePathsIn(text, '/home/ada');

test('`imagePathsIn` reads a plain, quoted, escaped and addressed path, and a path of the user', () => {
  expect(paths('/tmp/form.png ')).toEqual(['/tmp/form.png']);
  expect(paths('/tmp/my form.PNG')).toEqual(['/tmp/my form.PNG']);
  expect(paths("'/tmp/my form.png'")).toEqual(['/tmp/my form.png']);
  expect(paths('"/tmp/a \\"b\\".jpg"')).toEqual(['/tmp/a "b".jpg']);
  expect(paths('/tmp/my\\ form\\(1\\).webp')).toEqual(['/tmp/my form(1).webp']);
  expect(paths('file:///tmp/my%20form.png')).toEqual(['/tmp/my form.png']);
  expect(paths('~/shots/a.jpeg')).toEqual(['/home/ada/shots/a.jpeg']);
  expect(paths('shots/a.gif')).toEqual(['shots/a.gif']);
});

test('`imagePathsIn` reads several dropped files', () =>
  expect(paths("/tmp/a\\ b.png '/tmp/c d.jpg' /tmp/e.png")).toEqual(['/tmp/a b.png', '/tmp/c d.jpg', '/tmp/e.png']));

test.each(['see form.png and fix it', '/etc/hosts', 'a.png\nb.png', "'/tmp/a.png", '', 'file:%zz.png'])(
  '`imagePathsIn` returns nothing for %j',
  (text) => expect(paths(text)).toEqual([]),
);
