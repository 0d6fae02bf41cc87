import { Clock, FileText, History, ImageOff } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { cn } from '@/ui/cn';
import { Skeleton } from '@/ui/skeleton';
import { Tag } from '@/ui/tag';
import type { Attachment } from './queries';
import { usePresigned } from './stored-file';

const LATE_MS = 30 * 60_000;

/** Whether a file was received long after it was captured. The rule is the same as for outcomes. */
function isLate({ capturedAt, receivedAt }: Pick<Attachment, 'capturedAt' | 'receivedAt'>) {
  return Date.parse(receivedAt) - Date.parse(capturedAt) > LATE_MS;
}

export function isPicture({ contentType }: Pick<Attachment, 'contentType'>): boolean {
  return contentType.startsWith('image/');
}

/** Describes an attachment, for example 'Photo, item 20'. */
export function useAttachmentName() {
  const { t } = useTranslation('proof');
  return ({ kind, itemNumber }: Pick<Attachment, 'kind' | 'itemNumber'>) =>
    itemNumber ? t('nameOfItem', { kind: t(`kind.${kind}`), item: itemNumber }) : t(`kind.${kind}`);
}

interface AttachmentPictureProps {
  attachment: Attachment;
  alt: string;
  className?: string;
}

const stand = 'flex h-full w-full flex-col items-center justify-center gap-1 p-1 text-xs text-muted';

/** Shows a picture, or the name of a file that is not one. */
export function AttachmentPicture(props: AttachmentPictureProps) {
  const { attachment, alt } = props;
  // Another picture in the same place has not failed to load yet.
  if (isPicture(attachment)) return <Picture key={attachment.url} {...props} />;
  return (
    <span className={stand}>
      <FileText aria-hidden className="size-6" />
      <span className="sr-only">{alt}</span>
      <span className="max-w-full truncate">{attachment.filename}</span>
    </span>
  );
}

/** Handles formats that the browser cannot display, and expired links. */
function Picture({ attachment, alt, className }: AttachmentPictureProps) {
  const { t } = useTranslation('proof');
  const { file, renew } = usePresigned(attachment.url);
  const [brokenLinks, setBrokenLinks] = useState(0);

  function fail() {
    // The first failure may be an expired link; a second one means that the picture cannot be displayed.
    if (brokenLinks === 0) renew();
    setBrokenLinks(brokenLinks + 1);
  }

  if (!file) return <Skeleton className="h-full w-full" />;
  if (file.status !== 'ready' || brokenLinks > 1) {
    return (
      <span className={stand}>
        <ImageOff aria-hidden className="size-5" />
        <span className="sr-only">{alt}: </span>
        {t(`notShown.${file.status === 'ready' ? 'missing' : file.status}`)}
      </span>
    );
  }
  return (
    <img
      src={file.address}
      alt={alt}
      width={attachment.width ?? undefined}
      height={attachment.height ?? undefined}
      onError={fail}
      className={cn('h-full w-full', className)}
    />
  );
}

/** Warnings about an attachment, such as a late upload. */
export function AttachmentMarks({ attachment }: { attachment: Attachment }) {
  const { t } = useTranslation('proof');
  return (
    <>
      {attachment.addedAfterCompletion && (
        <Tag tone="warn" icon={History}>
          {t('addedLater')}
        </Tag>
      )}
      {isLate(attachment) && (
        <Tag tone="warn" icon={Clock}>
          {t('late')}
        </Tag>
      )}
    </>
  );
}
