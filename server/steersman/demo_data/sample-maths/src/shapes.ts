export function circleArea(radius: number): number {
  return Math.PI * radius ** 2;
}
