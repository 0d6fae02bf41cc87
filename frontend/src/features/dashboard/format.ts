import { percent } from '@/lib/numbers';

const decimal = new Intl.NumberFormat('en-US', { maximumFractionDigits: 1 });

export const UNKNOWN = '–';

/** Hundredths as '94.2%'. */
export function formatPercent(value: number | null): string {
  return value === null ? UNKNOWN : `${decimal.format(value)}%`;
}

export function formatShare(part: number, whole: number): string {
  return `${percent(part, whole)}%`;
}

/** '+4%', '−12%', or nothing where there is nothing to compare with. */
export function formatChange(now: number | null, before: number | null): string {
  if (now === null || before === null || before === 0) return UNKNOWN;
  const change = Math.round((now / before - 1) * 100);
  return change > 0 ? `+${change}%` : `${change}%`.replace('-', '−');
}

/** Of two rates, in points: '+1.2 pts'. */
export function formatPoints(now: number | null, before: number | null): string {
  if (now === null || before === null) return UNKNOWN;
  const change = Math.round((now - before) * 10) / 10;
  const text = decimal.format(Math.abs(change));
  return `${change > 0 ? '+' : change < 0 ? '−' : '±'}${text} pts`;
}
