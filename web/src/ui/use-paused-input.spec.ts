import { describe, expect, it } from '@jest/globals';
import { receiveValue } from './use-paused-input.js';

describe('receiveValue', () => {
  it('keeps the text that the user typed while the sent text took effect', () => {
    const field = receiveValue({ text: 'pay', value: '', sent: ['pa'] }, 'pa');
    expect(field).toEqual({ text: 'pay', value: 'pa', sent: [] });
  });

  it('keeps the text while several sent texts take effect, also if one is skipped', () => {
    const typed = { text: 'paym', value: '', sent: ['p', 'pa', 'pay'] };
    const second = receiveValue(typed, 'pa');
    expect(second).toEqual({ text: 'paym', value: 'pa', sent: ['pay'] });
    expect(receiveValue(second, 'pay').text).toBe('paym');
  });

  it('follows a text from elsewhere, for example after "back"', () => {
    expect(receiveValue({ text: 'pay', value: 'pay', sent: [] }, '')).toEqual({ text: '', value: '', sent: [] });
  });

  it('follows a text from elsewhere that it had sent before', () => {
    const field = receiveValue({ text: 'pa', value: '', sent: ['pa'] }, 'pa');
    const cleared = receiveValue(field, '');
    expect(receiveValue(cleared, 'pa').text).toBe('pa');
  });

  it('waits for no sent text any more after a text from elsewhere', () => {
    const field = receiveValue({ text: 'pay', value: '', sent: ['pay'] }, 'shop');
    expect(receiveValue({ ...field, text: 'typed' }, 'pay').text).toBe('pay');
  });

  it('keeps spaces that do not change the text in effect', () => {
    expect(receiveValue({ text: 'pay ', value: '', sent: [] }, 'pay').text).toBe('pay ');
  });
});
