import { FileText, ImageOff } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { cn } from '@/ui/cn';
import { Skeleton } from '@/ui/skeleton';
import { isPicture } from './attachment-text';
import type { Attachment } from './queries';
import { usePresigned } from './use-presigned';

interface AttachmentPictureProps {
  attachment: Attachment;
  alt: string;
  className?: string;
}

const stand = 'flex h-full w-full flex-col items-center justify-center gap-1 p-1 text-xs text-muted';

/** The picture itself. Not every browser can draw every kind, and a link may have expired. */
export function AttachmentPicture({ attachment, alt, className }: AttachmentPictureProps) {
  const { t } = useTranslation('proof');
  const { link, failed, renew } = usePresigned(attachment.url);
  const [brokenLinks, setBrokenLinks] = useState(0);

  function fail() {
    // Once for a link that expired; a second time it is the picture.
    if (brokenLinks === 0) renew();
    setBrokenLinks(brokenLinks + 1);
  }

  if (!isPicture(attachment)) {
    return (
      <span className={stand}>
        <FileText aria-hidden className="size-6" />
        <span className="sr-only">{alt}</span>
        <span className="max-w-full truncate">{attachment.filename}</span>
      </span>
    );
  }
  if (failed || brokenLinks > 1) {
    return (
      <span className={stand}>
        <ImageOff aria-hidden className="size-5" />
        <span className="sr-only">{alt}: </span>
        {t('notShown')}
      </span>
    );
  }
  if (!link) return <Skeleton className="h-full w-full" />;
  return (
    <img
      src={link}
      alt={alt}
      width={attachment.width ?? undefined}
      height={attachment.height ?? undefined}
      onError={fail}
      className={cn('h-full w-full', className)}
    />
  );
}
