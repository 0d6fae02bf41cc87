import { useMemo } from 'react';
import { useOfficeRules } from '@/data/use-office-rules';
import type { Freshness } from './freshness';

const SECOND = 1000;

export function useFreshness(): Freshness {
  const { driverOnlineSeconds, driverStaleSeconds } = useOfficeRules();
  return useMemo(
    () => ({ onlineMs: driverOnlineSeconds * SECOND, staleMs: driverStaleSeconds * SECOND }),
    [driverOnlineSeconds, driverStaleSeconds],
  );
}
