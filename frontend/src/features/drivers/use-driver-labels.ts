import { useTranslation } from 'react-i18next';
import { DRIVER_FIELDS, type DriverValues } from './driver-values';

/** The labels of the fields in their order on screen. */
export function useDriverLabels(): Record<keyof DriverValues, string> {
  const { t } = useTranslation('drivers');
  return Object.fromEntries(
    DRIVER_FIELDS.map((field) => [field, t(`fields.${field}`)]),
  ) as Record<keyof DriverValues, string>;
}
