export type Tone = 'ok' | 'warn' | 'bad' | 'info' | 'idle' | 'accent';

export const softTone: Record<Tone, string> = {
  ok: 'bg-ok-soft text-ok',
  warn: 'bg-warn-soft text-warn',
  bad: 'bg-bad-soft text-bad',
  info: 'bg-info-soft text-info',
  idle: 'bg-idle-soft text-idle',
  accent: 'bg-accent-soft text-accent',
};
