"""The same standings for the console, as JSON and as a page."""
