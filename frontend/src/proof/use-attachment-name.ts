import { useTranslation } from 'react-i18next';
import type { Attachment } from './queries';

/** 'Photo, item 20': what a file shows, in words. */
export function useAttachmentName() {
  const { t } = useTranslation('proof');
  return ({ kind, itemNumber }: Pick<Attachment, 'kind' | 'itemNumber'>) =>
    itemNumber ? t('nameOfItem', { kind: t(`kind.${kind}`), item: itemNumber }) : t(`kind.${kind}`);
}
