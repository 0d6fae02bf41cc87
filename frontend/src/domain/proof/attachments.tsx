import type { Client } from '@urql/core';
import { Clock, FileText, History, ImageOff } from 'lucide-react';
import { useCallback, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useClient } from 'urql';
import { cn } from '@/ui/cn';
import { Skeleton } from '@/ui/skeleton';
import { Tag } from '@/ui/tag';
import { type Attachment, presignMutation } from './queries';

const LATE_MS = 30 * 60_000;

/** Whether a file was received long after it was captured. The rule is the same as for outcomes. */
function isLate({ capturedAt, receivedAt }: Pick<Attachment, 'capturedAt' | 'receivedAt'>) {
  return Date.parse(receivedAt) - Date.parse(capturedAt) > LATE_MS;
}

export function isPicture({ contentType }: Pick<Attachment, 'contentType'>): boolean {
  return contentType.startsWith('image/');
}

export interface PresignedLink {
  link: string | undefined;
  failed: boolean;
  /** Requests a new link; links expire after a few minutes. */
  renew: () => void;
}

const running = new WeakMap<Client, Map<string, Promise<string | undefined>>>();

/**
 * Shares one request between concurrent callers for the same link, because urql would cancel one of two identical
 * mutations without a response.
 */
function presign(client: Client, url: string): Promise<string | undefined> {
  const asked = running.get(client) ?? new Map<string, Promise<string | undefined>>();
  running.set(client, asked);
  const known = asked.get(url);
  if (known) return known;
  const answer = client
    .mutation(presignMutation, { url })
    .toPromise()
    .then(({ data }) => data?.mutatePresignedUrl.presignedUrl)
    .finally(() => asked.delete(url));
  asked.set(url, answer);
  return answer;
}

/** A temporary link to a stored attachment. */
export function usePresigned(url: string): PresignedLink {
  const client = useClient();
  const [round, setRound] = useState(0);
  const [found, setFound] = useState<{ url: string; link: string | undefined }>();

  useEffect(() => {
    let isCurrent = true;
    void presign(client, url).then((link) => {
      if (isCurrent) setFound({ url, link });
    });
    return () => {
      isCurrent = false;
    };
  }, [client, url, round]);

  const own = found?.url === url ? found : undefined;
  return {
    link: own?.link,
    failed: own !== undefined && own.link === undefined,
    renew: useCallback(() => setRound((count) => count + 1), []),
  };
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

/** The picture. Handles formats that the browser cannot display, and expired links. */
export function AttachmentPicture({ attachment, alt, className }: AttachmentPictureProps) {
  const { t } = useTranslation('proof');
  const { link, failed, renew } = usePresigned(attachment.url);
  const [brokenLinks, setBrokenLinks] = useState(0);

  function fail() {
    // The first failure may be an expired link; a second one means that the picture cannot be displayed.
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
