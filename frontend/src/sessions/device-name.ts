import type { TFunction } from 'i18next';
import { readUserAgent } from '@/lib/user-agent';

/** What a session is signed in with, in plain words. */
export function deviceName(userAgent: string, t: TFunction<'sessions'>): string {
  const { browser, system } = readUserAgent(userAgent);
  if (browser && system) return t('device', { browser, system });
  return browser ?? system ?? t('unknownDevice');
}
