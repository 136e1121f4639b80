import { expect, test } from 'vitest';
import { isCommand, isRequest, isShortPrompt } from './requests.ts';

test.each([
  'Fix the tax test, and keep the rounding.',
  'Good. Think hard about this one: what would it take?',
  '现在修复登录页面的空指针错误,并且为它添加单元测试。',
  '次に、テストを追加してからデータベースの移行を実行してください。',
  '/skill tax fill in the form for 2025',
  '/tmp is full, so move the cache',
  '/login page crashes with a 500, please find out why',
  '/config/app.yaml must hold the new port',
  '/help shows nothing at all, repair it',
  'ok, continue with the parser and its tests',
  'x'.repeat(200),
])('a request is recognized: %s', (text) => {
  expect([isRequest(text), isShortPrompt(text), isCommand(text)]).toEqual([true, false, false]);
});

test.each(['Add dark mode', 'Fix issue 42', 'Revert everything', 'use tabs', '修复测试'])(
  'a short prompt that may be a request or an addition to one is recognized: %s',
  (text) => {
    expect([isRequest(text), isShortPrompt(text)]).toEqual([false, true]);
  },
);

test.each([
  'go on',
  'Yes, please do it.',
  'Thank you!',
  'ok',
  'weiter bitte',
  '继续',
  'はい、続けてください',
  '...',
  '',
])('a prompt that only asks to continue is not a request: %s', (text) => {
  expect([isRequest(text), isShortPrompt(text)]).toEqual([false, false]);
});

test.each([
  '/compact',
  '/compact keep all that was said of the parser',
  '/model opus',
  '<command-name>/clear</command-name>',
])('a command is recognized: %s', (text) => {
  expect([isCommand(text), isRequest(text), isShortPrompt(text)]).toEqual([true, false, false]);
});
