const DAY = /^(?<year>[0-9]{4})-(?<month>[0-9]{2})-(?<day>[0-9]{2})$/;

/** Whether the text is a day of the Gregorian calendar as `YYYY-MM-DD`, from the year 1000 on. */
export function isCalendarDay(text: string): boolean {
  const { year = '', month = '', day = '' } = DAY.exec(text)?.groups ?? {};
  // Day 0 of the next month is the last one of this; months count from 0, so the number as written is the next one.
  const lastDay = new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate();
  return year >= '1000' && month >= '01' && month <= '12' && day >= '01' && Number(day) <= lastDay;
}
