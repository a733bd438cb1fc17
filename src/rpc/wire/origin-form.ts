/** A request target without the scheme and authority of its absolute form (RFC 9112 section 3.2.2). */
export function originForm(target: string): string {
  if (target.startsWith("/")) return target;
  const path = /^https?:\/\/[^/?#]*(.*)$/i.exec(target)?.[1];
  if (path === undefined) return target;
  return path.startsWith("/") ? path : `/${path}`;
}
