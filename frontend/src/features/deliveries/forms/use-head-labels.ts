import { useTranslation } from 'react-i18next';
import { HEAD_FIELDS } from './head-values';

/** Labels in the order on screen, for the messages above a form. */
export function useHeadLabels(): Record<(typeof HEAD_FIELDS)[number], string> {
  const { t } = useTranslation('deliveries');
  return Object.fromEntries(HEAD_FIELDS.map((name) => [name, t(`fields.${name}`)])) as ReturnType<
    typeof useHeadLabels
  >;
}
